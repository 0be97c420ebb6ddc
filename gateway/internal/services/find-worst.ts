import type { HandlerContext } from '@connectrpc/connect'
import type { ProgrammeOutline } from '../../../engine/programme/outline.js'
import type { WorstReport } from '../../../engine/worst/find-worst.js'
import { type Finding, nameOf, objectives, pathOf } from '../../../engine/worst/finding.js'
import { sentenceOf } from '../../../engine/worst/sentence.js'
import { linesOf, type Trial, type TrialPrice } from '../../../engine/worst/trial.js'
import type { StoredVenue } from '../../../store/ledger/venues.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import type { WorstSearchTask } from '../../background/worst-search.js'
import {
  type FindWorstBasketsRequest,
  type FindWorstBasketsResponseSchema,
  WorstObjectiveSchema,
} from '../../gen/loyalty/v1/worst_baskets_pb.js'
import { type WorstParts, worstTask } from '../../use-cases/check-worst.js'
import { refusal } from '../errors.js'
import { FieldChecks } from '../messages/fields.js'
import { type RecordOf, wordFromEnum } from '../messages/message.js'
import { refusalFrom } from '../messages/refusals.js'

const stepsLeast = 100
const stepsMost = 1_000_000
const venuesMax = 10

export interface FindWorstParts extends WorstParts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'programmes' | 'venues'>
  readonly programmeReader: ProgrammeReader
}

export async function* findWorstMessages(
  parts: FindWorstParts,
  request: FindWorstBasketsRequest,
  { signal }: Pick<HandlerContext, 'signal'>,
): AsyncGenerator<RecordOf<typeof FindWorstBasketsResponseSchema>> {
  const task = await taskFrom(parts, request)
  const waiting: number[] = []
  let wake = () => {}
  let report: WorstReport | null = null
  const onSteps = (steps: number) => {
    waiting.push(steps)
    wake()
  }
  const running = parts.worstSearch.run('call', task, { onSteps, signal })
  if (running === null) throw refusalFrom({ kind: 'search_busy' })
  const searching = running.then((found) => {
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
  const { document, outline } = await documentOf(parts, request)
  const usual = await worstTask(parts, document, outline)
  return {
    ...usual,
    venues: venueIds.length === 0 ? usual.venues : await venuesOf(parts, venueIds),
    objectives: objectives.filter((word) => words.length === 0 || words.includes(word)),
    stepsMax: budgetSteps === 0 ? usual.stepsMax : budgetSteps,
  }
}

async function documentOf(
  { adminLedger, programmeReader }: FindWorstParts,
  { programme }: FindWorstBasketsRequest,
): Promise<{ readonly document: string; readonly outline: ProgrammeOutline }> {
  const isDraft = programme.case === 'draftDocument'
  const version = programme.case === 'programmeVersion' ? programme.value : 0
  new FieldChecks().expect('programme_version', isDraft || version >= 1, '1 or more', String(version)).done()
  const stored = isDraft ? null : await adminLedger.programmes.find(version, true)
  if (!isDraft && stored === null) throw refusal('PROGRAMME_NOT_FOUND', 'no such programme version')
  const document = isDraft ? programme.value : stored!.document
  const reading = await programmeReader.read(Buffer.from(document))
  if (reading.kind === 'faulty') throw refusalFrom(reading, {}, { faulty: isDraft ? 'draft_document' : 'document' })
  return { document, outline: reading.outline }
}

async function venuesOf({ adminLedger }: FindWorstParts, venueIds: readonly string[]): Promise<readonly StoredVenue[]> {
  const found = await Promise.all(venueIds.map((venueId) => adminLedger.venues.find(venueId)))
  const missing = found.indexOf(null)
  if (missing !== -1) throw refusal('VENUE_NOT_FOUND', `no venue ${venueIds[missing]}`)
  return found.flatMap((venue) => (venue === null ? [] : [venue]))
}

function messageFromReport({ findings, proofs, searched }: WorstReport) {
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

function messageFromFinding(finding: Finding) {
  const { objective, reason, benefitIds, guardId, off, trial, price, other, remedies } = finding
  return {
    ...{ objective, reason, benefitIds, sentence: sentenceOf(finding) },
    ...{ guardId, name: nameOf(finding), off },
    receipt: messageFromTrial(trial, price),
    other: other && messageFromTrial(other.trial, other.price),
    remedies: remedies.map((changes) => ({
      changes: changes.map((change) => ({
        path: pathOf(change),
        valueJson: change.value === undefined ? '' : JSON.stringify(change.value),
      })),
    })),
  }
}

function messageFromTrial({ setting, items }: Trial, { before, after }: Pick<TrialPrice, 'before' | 'after'>) {
  const { venue, member, requestedAt } = setting
  return {
    ...{ venueId: venue.venueId, currency: venue.currency, requestedAt, buyer: member },
    lines: linesOf(items).map(({ product: { productId, name, unitPrice }, quantity, own = 0, parent }) => ({
      ...{ productId, name },
      quantityThousandths: quantity,
      unitPrice,
      ownDiscount: own,
      below: parent !== -1,
    })),
    ...{ before, after },
  }
}
