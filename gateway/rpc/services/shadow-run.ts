import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { Ledger } from '../../../store/ledger.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import type {
  MoneyDifferenceSchema,
  ShadowRunReportSchema,
  ShadowRunRequest,
  ShadowRunResponseSchema,
} from '../../gen/loyalty/v1/programme_service_pb.js'
import type { MoneyRow } from '../../use-cases/money-table.js'
import { type ShadowParts, type ShadowReport, shadowRun } from '../../use-cases/shadow-run.js'
import { documentOf } from '../access.js'
import { refusal } from '../errors.js'
import { FieldChecks, microsecondsFrom } from '../messages/fields.js'
import { draftFromDocument } from './draft.js'

/** Examples, where the request does not say, and at most. */
const examplesDefault = 10
const examplesMost = 100
/** Shadow runs at once: each holds its draft. */
const runsMax = 4
/** Seconds after which one that found no place may come again. */
const retryAfterS = 10

interface Parts extends ShadowParts {
  readonly ledger: Pick<Ledger, 'clock' | 'calculations'>
  readonly programmeReader: ProgrammeReader
  /** Counts the runs under way. */
  readonly turns: { running: number }
}

/** A shadow run as its stream of messages. */
export async function* shadowRunMessages(
  parts: Parts,
  request: ShadowRunRequest,
  context: Pick<HandlerContext, 'signal' | 'values'>,
): AsyncGenerator<MessageInitShape<typeof ShadowRunResponseSchema>> {
  const { draftDocument, from, until, examplesMax } = request
  const nowUs = parts.ledger.clock() * 1_000
  const fromUs = microsecondsFrom(from)
  const untilUs = Math.min(microsecondsFrom(until) ?? nowUs, nowUs)
  new FieldChecks()
    .expect('from', fromUs !== null, 'a time', '')
    .expect('until', fromUs === null || until === undefined || fromUs < untilUs, 'a time after `from`', String(untilUs))
    .expect(
      'examples_max',
      examplesMax >= 0 && examplesMax <= examplesMost,
      `0 to ${examplesMost}`,
      String(examplesMax),
    )
    .done()
  if (parts.turns.running >= runsMax) throw refusal('TOO_MANY_CALLS', 'too many shadow runs at once', { retryAfterS })
  parts.turns.running += 1
  try {
    const draft = await draftFromDocument(parts, documentOf(context, draftDocument))
    const task = { draft, fromUs: fromUs!, untilUs, examplesMax: examplesMax === 0 ? examplesDefault : examplesMax }
    for await (const event of shadowRun(parts, task, context.signal)) {
      switch (event.kind) {
        case 'progress':
          yield { event: { case: 'progress', value: { done: BigInt(event.done), total: BigInt(event.total) } } }
          break
        case 'report':
          yield { event: { case: 'report', value: messageFromReport(event.report) } }
      }
    }
  } finally {
    parts.turns.running -= 1
  }
}

function messageFromReport(report: ShadowReport): MessageInitShape<typeof ShadowRunReportSchema> {
  const { calculations, changed, skipped, totals, byBenefit, byVenue, byDay, value, examples } = report
  return {
    calculations: BigInt(calculations),
    changed: BigInt(changed),
    skipped: BigInt(skipped),
    totals: totals.map(messageFromRow),
    byBenefit: byBenefit.map(messageFromRow),
    byVenue: byVenue.map(messageFromRow),
    byDay: byDay.map(messageFromRow),
    value: [...value],
    examples: examples.map(({ calculationId, currency, netThen, netDraft }) => ({
      calculationId,
      currency,
      netThen: BigInt(netThen),
      netDraft: BigInt(netDraft),
    })),
  }
}

function messageFromRow({ changed, ...row }: MoneyRow): MessageInitShape<typeof MoneyDifferenceSchema> {
  return { ...row, changed: BigInt(changed) }
}
