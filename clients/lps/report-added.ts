import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { createClient, type Transport } from '@connectrpc/connect'
import { ProgrammeService, type ShadowRunReport } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import type { Screen } from './command.js'
import { moneyText } from './money.js'
import { percentText } from './report-sums.js'
import { barText } from './table.js'

const dayMs = 86_400_000

interface Asked {
  readonly benefitId: string
  /** `YYYY-MM-DD`, UTC, both inclusive. */
  readonly fromDay: string
  readonly untilDay: string
}

/** What of a benefit would not have been given without it, a sentence for each currency. */
export async function addedLines(
  transport: Transport,
  { benefitId, fromDay, untilDay }: Asked,
  screen: Screen,
): Promise<readonly string[]> {
  const client = createClient(ProgrammeService, transport)
  const untilMs = Date.parse(untilDay) + dayMs
  const request = {
    withoutBenefitId: benefitId,
    from: timestampFromMs(Date.parse(fromDay)),
    ...(untilMs < Date.now() ? { until: timestampFromMs(untilMs) } : {}),
  }
  let lines: readonly string[] = []
  for await (const { event } of client.shadowRun(request, { timeoutMs: 0 })) {
    if (event.case === 'progress') {
      const { done, total } = event.value
      screen.status(`${barText(Number(done), Number(total))}  ${done} of ${total} calculations`)
    }
    if (event.case === 'report') lines = linesOf(event.value, benefitId)
  }
  screen.status('')
  return lines
}

function linesOf({ calculations, byBenefit, totals }: ShadowRunReport, benefitId: string): readonly string[] {
  const rows = byBenefit.filter(({ key, discountThen }) => key === benefitId && discountThen > 0n)
  const found = rows.map(({ currency, discountThen: given }) => {
    const total = totals.find((row) => row.currency === currency)
    const added = (total?.discountThen ?? 0n) - (total?.discountDraft ?? 0n)
    const share = percentText(added, given)
    return `of ${moneyText(given, currency)} given by ${benefitId} ${moneyText(added, currency)} would not have been given without it (${share})`
  })
  return [
    '',
    ...(found.length === 0 ? [`${benefitId} gives nothing in these baskets`] : found),
    `${calculations} calculations priced twice`,
  ]
}
