import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { Ledger } from '../../../store/ledger.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import type { Facts } from '../../cache/facts.js'
import type {
  MoneyDifferenceSchema,
  ShadowRunReportSchema,
  ShadowRunRequest,
  ShadowRunResponseSchema,
} from '../../gen/loyalty/v1/programme_service_pb.js'
import type { MoneyRow } from '../../use-cases/money-table.js'
import { type ShadowParts, type ShadowReport, type ShadowTask, shadowRun } from '../../use-cases/shadow-run.js'
import { publishedProgramme } from '../../use-cases/simulate-basket.js'
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
  readonly ledger: Pick<Ledger, 'clock' | 'calculations' | 'programmes'>
  readonly facts: ShadowParts['facts'] & Pick<Facts, 'programmeVersion'>
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
  const { from, until, examplesMax } = request
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
    const programmes = await programmesOf(parts, request, context)
    const task = {
      ...programmes,
      fromUs: fromUs!,
      untilUs,
      examplesMax: examplesMax === 0 ? examplesDefault : examplesMax,
    }
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

/** A draft against what was answered, or the programme in force without a benefit against that programme. */
async function programmesOf(
  parts: Parts,
  { draftDocument, withoutBenefitId }: ShadowRunRequest,
  context: Pick<HandlerContext, 'values'>,
): Promise<Pick<ShadowTask, 'draft' | 'base'>> {
  if (withoutBenefitId === '') {
    return { draft: await draftFromDocument(parts, documentOf(context, draftDocument)), base: null }
  }
  const base = await publishedProgramme(parts.ledger, parts.facts.programmeVersion)
  const without = base === null ? null : withoutBenefit(await base.benefits(), withoutBenefitId)
  new FieldChecks()
    .expect('draft_document', documentOf(context, draftDocument).length === 0, 'nothing beside a benefit', 'a document')
    .expect('without_benefit_id', without !== null, 'a benefit of the programme in force', withoutBenefitId)
    .done()
  return { draft: parts.lowPriority.draft(without!), base }
}

/** JSON of a programme's benefits, or of an object with them, without one of them; null: it is not there. */
function withoutBenefit(text: string, benefitId: string): string | null {
  const parts = JSON.parse(text) as Benefits | { readonly benefits?: Benefits }
  const all = 'benefits' in parts ? (parts.benefits ?? []) : (parts as Benefits)
  const others = all.filter((benefit) => benefit.benefitId !== benefitId)
  if (others.length === all.length) return null
  return JSON.stringify('benefits' in parts ? { ...parts, benefits: others } : others)
}

type Benefits = readonly { readonly benefitId: string }[]

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
