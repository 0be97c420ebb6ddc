import type { HandlerContext } from '@connectrpc/connect'
import type { PricingEngine } from '../../../engine/index.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { Journal } from '../../background/journal.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import type {
  ShadowCalculationRequest,
  ShadowRunRequest,
  ShadowRunResponseSchema,
} from '../../gen/loyalty/v1/shadow_run_pb.js'
import { readInputs } from '../../use-cases/calculation-record.js'
import type { FindClosed } from '../../use-cases/closed-benefits.js'
import { createShadowPricer } from '../../use-cases/shadow-pricer.js'
import { type ShadowParts, type ShadowTask, shadowRun } from '../../use-cases/shadow-run.js'
import { publishedProgramme } from '../../use-cases/simulate-basket.js'
import { refusal } from '../errors.js'
import { FieldChecks, microsecondsFrom } from '../messages/fields.js'
import type { RecordOf } from '../messages/message.js'
import { refusalFrom } from '../messages/refusals.js'
import { messageFromSimulated } from './simulate.js'

/** Examples: the default, and the maximum. */
const examplesDefault = 10
const examplesMost = 100
const inForceMax = 500
/** Shadow runs at once: each holds its draft. */
const runsMax = 4
/** Seconds after which a refused run may come again. */
const retryAfterS = 10

interface Parts extends ShadowParts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'calculations' | 'programmes'>
  readonly facts: ShadowParts['facts'] & Pick<LookupCache, 'programmeVersion'>
  readonly programmeReader: ProgrammeReader
  readonly turns: { running: number }
}

interface CalculationParts extends Omit<Parts, 'turns'> {
  readonly adminLedger: Parts['adminLedger'] & Pick<AdminLedger, 'value'>
  readonly engine: Pick<PricingEngine, 'unpack'>
  readonly journal: Pick<Journal, 'ensureInLedger'>
  readonly findClosed: FindClosed
}

export async function* shadowRunMessages(
  parts: Parts,
  request: ShadowRunRequest,
  context: Pick<HandlerContext, 'signal' | 'values'>,
): AsyncGenerator<RecordOf<typeof ShadowRunResponseSchema>> {
  const { from, until, examplesMax, asIfInForce } = request
  const nowUs = parts.adminLedger.clock() * 1_000
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
    .expect('as_if_in_force', asIfInForce.length <= inForceMax, `at most ${inForceMax}`, String(asIfInForce.length))
    .done()
  if (parts.turns.running >= runsMax) throw refusal('TOO_MANY_CALLS', 'too many shadow runs at once', { retryAfterS })
  parts.turns.running += 1
  try {
    const programmes = await programmesOf(parts, request)
    const task = {
      ...programmes,
      fromUs: fromUs!,
      untilUs,
      examplesMax: examplesMax === 0 ? examplesDefault : examplesMax,
    }
    for await (const event of shadowRun(parts, task, context.signal)) {
      switch (event.kind) {
        case 'progress':
          yield { event: { case: 'progress', value: event } }
          break
        case 'report':
          yield { event: { case: 'report', value: event.report } }
      }
    }
  } finally {
    parts.turns.running -= 1
  }
}

/** One past calculation, priced as a shadow run prices it. */
export async function shadowCalculation(
  parts: CalculationParts,
  { calculationId, draftDocument, asIfInForce }: ShadowCalculationRequest,
  context: Pick<HandlerContext, 'signal' | 'values'>,
) {
  new FieldChecks()
    .uuid('calculation_id', calculationId)
    .expect('as_if_in_force', asIfInForce.length <= inForceMax, `at most ${inForceMax}`, String(asIfInForce.length))
    .done()
  const { draft } = await draftInForce(parts, Buffer.from(draftDocument), asIfInForce)
  await parts.journal.ensureInLedger(calculationId)
  const found = await parts.adminLedger.calculations.find(calculationId)
  if (found === null) throw refusalFrom({ kind: 'unknown_calculation' })
  if (found.body === null) throw refusalFrom({ kind: 'body_gone' })
  const price = await createShadowPricer(parts, draft)
  const priced = await price(found.summary, found.body, context.signal)
  const { facts } = readInputs(found.body.inputs)
  // After its sale the ledger has counted it, and would count it twice.
  const isKnown = found.due !== null && priced.earning !== null
  const due = isKnown ? await parts.adminLedger.value.quoteEarning(found.summary.memberId, priced.earning) : null
  const closed = await parts.findClosed({ programme: draft, sent: found.summary, facts }, context.signal)
  const { request: body } = await parts.engine.unpack(found.body.packed)
  return { outcome: messageFromSimulated({ priced, body, programmeVersion: 0, member: facts.member, due, closed }) }
}

/** A draft with benefits that are supposed to be in force; ends the call where it has faults, or lacks these benefits. */
async function draftInForce(
  { programmeReader, lowPriority }: Pick<Parts, 'programmeReader' | 'lowPriority'>,
  document: Uint8Array,
  inForce: readonly string[],
): Promise<Pick<ShadowTask, 'draft' | 'outline'>> {
  const reading = await programmeReader.read(document, inForce)
  if (reading.kind === 'faulty') throw refusalFrom(reading, {}, { faulty: 'draft_document' })
  const known = new Set(reading.outline.benefits.map(({ benefitId }) => benefitId))
  const checks = new FieldChecks()
  for (const [at, id] of inForce.entries()) {
    checks.expect(`as_if_in_force[${at}]`, known.has(id), 'a benefit of the draft', id)
  }
  checks.done()
  return { draft: lowPriority.draft(reading.programme.benefits, reading.outline.benefitsOff), outline: reading.outline }
}

/** A draft against the answers, or the programme in force without a benefit against that programme. */
async function programmesOf(
  parts: Parts,
  { draftDocument, withoutBenefitId, asIfInForce }: ShadowRunRequest,
): Promise<Pick<ShadowTask, 'draft' | 'outline' | 'base'>> {
  const document = Buffer.from(draftDocument)
  if (withoutBenefitId === '') return { ...(await draftInForce(parts, document, asIfInForce)), base: null }
  const base = await publishedProgramme(parts.adminLedger, parts.facts.programmeVersion)
  const without = base === null ? null : withoutBenefit(await base.benefits(), withoutBenefitId)
  new FieldChecks()
    .expect('draft_document', document.length === 0, 'nothing beside a benefit', 'a document')
    .expect('as_if_in_force', asIfInForce.length === 0, 'nothing beside a benefit', String(asIfInForce.length))
    .expect('without_benefit_id', without !== null, 'a benefit of the programme in force', withoutBenefitId)
    .done()
  return { draft: parts.lowPriority.draft(without!), outline: { benefits: [], benefitsOff: [] }, base }
}

/** JSON of a programme's benefits, or of an object with them, without one of them; null: not there. */
function withoutBenefit(text: string, benefitId: string): string | null {
  const parts = JSON.parse(text) as Benefits | { readonly benefits?: Benefits }
  const all = 'benefits' in parts ? (parts.benefits ?? []) : (parts as Benefits)
  const others = all.filter((benefit) => benefit.benefitId !== benefitId)
  if (others.length === all.length) return null
  return JSON.stringify('benefits' in parts ? { ...parts, benefits: others } : others)
}

type Benefits = readonly { readonly benefitId: string }[]
