import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { WorstReport } from '../../../engine/worst/find-worst.js'
import { type Finding, objectives, pathOf } from '../../../engine/worst/finding.js'
import { sentenceOf } from '../../../engine/worst/sentence.js'
import type { Trial, TrialPrice } from '../../../engine/worst/trial.js'
import type { StoredVenue } from '../../../store/ledger/venues.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import type { WorstSearch, WorstSearchTask } from '../../background/worst-search.js'
import {
  type FindWorstBasketsRequest,
  type FindWorstBasketsResponseSchema,
  type WorstBasketSchema,
  WorstObjectiveSchema,
  WorstReasonSchema,
  type WorstReceiptSchema,
  type WorstReportSchema,
} from '../../gen/loyalty/v1/worst_baskets_pb.js'
import { refusal } from '../errors.js'
import { messageFromBuyer } from '../messages/buyer-message.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { programmeFaulty } from '../messages/programme-fields.js'
import { enumFromWord, wordFromEnum } from '../messages/words.js'

const stepsDefault = 20_000
const stepsLeast = 100
const stepsMost = 1_000_000
const venuesMax = 10
/** Stored venues that are searched where the document has none. */
const venuesDefault = 3
const retryAfterS = 10
const dayMs = 86_400_000

export interface FindWorstParts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'programmes' | 'venues'>
  readonly programmeReader: ProgrammeReader
  readonly worstSearch: WorstSearch
}

export async function* findWorstMessages(
  parts: FindWorstParts,
  request: FindWorstBasketsRequest,
  context: Pick<HandlerContext, 'signal'>,
): AsyncGenerator<MessageInitShape<typeof FindWorstBasketsResponseSchema>> {
  const task = await taskFrom(parts, request)
  if (parts.worstSearch.isBusy) throw refusal('TOO_MANY_CALLS', 'a search runs already', { retryAfterS })
  const waiting: number[] = []
  let wake = () => {}
  let report: WorstReport | null = null
  const onSteps = (steps: number) => {
    waiting.push(steps)
    wake()
  }
  const searching = parts.worstSearch.run(task, onSteps, context.signal).then((found) => {
    report = found
    wake()
  })
  while (report === null) {
    await Promise.race([searching, new Promise<void>((resolve) => (wake = resolve))])
    const steps = waiting.at(-1)
    waiting.length = 0
    if (steps !== undefined) yield { event: { case: 'progress', value: { steps, stepsMax: task.stepsMax } } }
  }
  yield { event: { case: 'report', value: messageFromReport(report) } }
}

async function taskFrom(parts: FindWorstParts, request: FindWorstBasketsRequest): Promise<WorstSearchTask> {
  const { objectives: asked, budgetSteps, venueIds } = request
  const isBudget = budgetSteps === 0 || (budgetSteps >= stepsLeast && budgetSteps <= stepsMost)
  const words = asked.map((number) => objectives.find((word) => word === wordFromEnum(WorstObjectiveSchema, number)))
  const checks = new FieldChecks()
    .expect('budget_steps', isBudget, `0, or ${stepsLeast} to ${stepsMost}`, String(budgetSteps))
    .expect('venue_ids', venueIds.length <= venuesMax, `at most ${venuesMax}`, String(venueIds.length))
    .expect('programme', request.programme.case !== undefined, 'draft_document or programme_version', '')
  for (const [at, word] of words.entries())
    checks.expect(`objectives[${at}]`, word !== undefined, objectives.join(', '), String(asked[at]))
  checks.done()
  const { document, hasVenues } = await documentOf(parts, request)
  const today = Math.floor(parts.adminLedger.clock() / dayMs) * dayMs
  return {
    document,
    venues: await venuesOf(parts, venueIds, hasVenues),
    objectives: objectives.filter((word) => words.length === 0 || words.includes(word)),
    stepsMax: budgetSteps === 0 ? stepsDefault : budgetSteps,
    nowMs: today,
  }
}

async function documentOf(
  { adminLedger, programmeReader }: FindWorstParts,
  { programme }: FindWorstBasketsRequest,
): Promise<{ readonly document: string; readonly hasVenues: boolean }> {
  const isDraft = programme.case === 'draftDocument'
  const version = programme.case === 'programmeVersion' ? programme.value : 0
  new FieldChecks().expect('programme_version', isDraft || version >= 1, '1 or more', String(version)).done()
  const stored = isDraft ? null : await adminLedger.programmes.find(version, true)
  if (!isDraft && stored === null) throw refusal('PROGRAMME_NOT_FOUND', 'no such programme version')
  const document = isDraft ? programme.value : stored!.document
  const reading = await programmeReader.read(Buffer.from(document))
  if (reading.kind === 'faulty') throw programmeFaulty(reading, isDraft ? 'draft_document' : 'document')
  return { document, hasVenues: reading.outline.venues.length > 0 }
}

async function venuesOf(
  { adminLedger }: FindWorstParts,
  venueIds: readonly string[],
  hasOwn: boolean,
): Promise<readonly StoredVenue[]> {
  if (venueIds.length === 0 && hasOwn) return []
  const some = { after: null, limit: venuesDefault }
  const ids = venueIds.length > 0 ? venueIds : (await adminLedger.venues.list(some)).map(({ venueId }) => venueId)
  const found = await Promise.all(ids.map((venueId) => adminLedger.venues.find(venueId)))
  const missing = found.indexOf(null)
  if (missing !== -1) throw refusal('VENUE_NOT_FOUND', `no venue ${ids[missing]}`)
  return found.flatMap((venue) => (venue === null ? [] : [venue]))
}

function messageFromReport({ findings, proofs, searched }: WorstReport): MessageInitShape<typeof WorstReportSchema> {
  return {
    baskets: findings.map(messageFromFinding),
    proofs: proofs.map(({ guardId, atMost }) => ({ guardId, atMostTenThousandths: atMost })),
    steps: searched.steps,
    settings: searched.settings,
    products: searched.products,
    madeUpProducts: searched.isMadeUp,
    whole: searched.isWhole,
  }
}

function messageFromFinding(finding: Finding): MessageInitShape<typeof WorstBasketSchema> {
  const { objective, reason, benefitIds, guardId, off, trial, price, other, remedies } = finding
  return {
    objective: enumFromWord(WorstObjectiveSchema, objective),
    reason: enumFromWord(WorstReasonSchema, reason),
    sentence: sentenceOf(finding),
    benefitIds: [...benefitIds],
    guardId: guardId ?? '',
    off: BigInt(off),
    receipt: messageFromTrial(trial, price),
    ...(other === null ? {} : { other: messageFromTrial(other.trial, other.price) }),
    remedies: remedies.map((changes) => ({
      changes: changes.map((change) => ({
        path: pathOf(change),
        valueJson: change.value === undefined ? '' : JSON.stringify(change.value),
      })),
    })),
  }
}

function messageFromTrial(
  { setting, items }: Trial,
  { before, after }: Pick<TrialPrice, 'before' | 'after'>,
): MessageInitShape<typeof WorstReceiptSchema> {
  const { venue, member, requestedAt } = setting
  const buyer = messageFromBuyer(member)
  return {
    venueId: venue.venueId,
    currency: venue.currency,
    requestedAt: timestamp(requestedAt),
    ...(buyer && { buyer }),
    lines: items.map(({ product: { productId, name, unitPrice }, quantity, own = 0 }) => ({
      ...{ productId, name },
      quantityThousandths: BigInt(quantity),
      unitPrice: BigInt(unitPrice),
      ownDiscount: BigInt(own),
    })),
    before: BigInt(before),
    after: BigInt(after),
  }
}
