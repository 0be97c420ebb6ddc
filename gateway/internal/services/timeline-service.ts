import type { HandlerContext } from '@connectrpc/connect'
import type { PricingEngine } from '../../../engine/index.js'
import type { InspectedSale } from '../../../store/ledger/sales.js'
import type { MovementCursor } from '../../../store/ledger/value.js'
import type { AdminLedger } from '../../../store/ledger.js'
import { AuditService } from '../../gen/loyalty/v1/audit_service_pb.js'
import {
  type ListTimelineRequest,
  type TimelineEntrySchema,
  TimelineKind,
  TimelineKindSchema,
  TimelineService,
} from '../../gen/loyalty/v1/timeline_service_pb.js'
import type { MemberName } from '../../gen/loyalty/v1/value_service_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { callerOf, rolesOf } from '../access.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { type RecordOf, routeOf } from '../messages/message.js'
import { type Cursor, type CursorPart, pageToken, readPage } from '../messages/page-token.js'
import { ValueFields } from '../messages/value-fields.js'
import { messageFromFacts } from './audit-service.js'
import { messageFromSummary } from './calculation-service.js'
import { anyCalculation } from './export-member.js'
import { findMember } from './find-member.js'
import { messageFromReturn } from './return-service.js'
import { messageFromSale } from './sale-service.js'

const [venuesMax, productsMax, basketsMax] = [3, 5, 50]
const noteForm = /^[^\p{Cc}\p{Cs}]{1,500}$/u

export interface TimelineParts {
  readonly adminLedger: Pick<
    AdminLedger,
    'members' | 'calculations' | 'sales' | 'value' | 'returns' | 'events' | 'audit'
  >
  readonly commands: Commands
  readonly engine: Pick<PricingEngine, 'unpack'>
}

export function timelineRoutes(parts: TimelineParts) {
  return routeOf(TimelineService, {
    listTimeline: (request, context) => listTimeline(parts, request, context),

    async getHabits(request) {
      return await habitsOf(parts, await memberIdOf(parts, new FieldChecks(), request.member))
    },

    async writeNote(request, context) {
      const { requestId, note } = request
      const checks = new FieldChecks().uuid('request_id', requestId)
      const member = new ValueFields(checks).member('member', request.member)
      checks.expect('note', noteForm.test(note), '1 to 500 characters without control characters', note).done()
      await sendCommand(parts.commands.writeNote, [member, note], { request, context })
      return {}
    },
  })
}

async function memberIdOf({ adminLedger }: TimelineParts, checks: FieldChecks, name: MemberName | undefined) {
  const member = new ValueFields(checks).member('member', name)
  checks.done()
  return (await findMember(adminLedger, member)).memberId
}

async function habitsOf({ adminLedger, engine }: TimelineParts, memberId: string) {
  const [{ sums, venues, since }, packed] = await Promise.all([
    adminLedger.sales.sumOf(memberId),
    adminLedger.sales.listPacked(memberId, basketsMax),
  ])
  const baskets = await Promise.all(packed.map((body) => engine.unpack(body)))
  return {
    ...{ sums, since, venues: venues.slice(0, venuesMax) },
    products: favourites(baskets.map(({ request }) => JSON.parse(Buffer.from(request).toString()) as SentBasket)),
  }
}

interface SentBasket {
  readonly context: { readonly venueId: string }
  readonly lines: readonly { readonly productId: string }[]
}

/** Products in the most baskets, which are newest first; a tie goes to the newest basket. */
function favourites(sent: readonly SentBasket[]) {
  const found = new Map<string, { readonly productId: string; readonly venueId: string; baskets: number }>()
  for (const { context, lines } of sent) {
    for (const productId of new Set(lines.map((line) => line.productId))) {
      const one = found.get(productId) ?? { productId, venueId: context.venueId, baskets: 0 }
      one.baskets += 1
      found.set(productId, one)
    }
  }
  return [...found.values()].toSorted((one, other) => other.baskets - one.baskets).slice(0, productsMax)
}

type Entry = RecordOf<typeof TimelineEntrySchema> & { readonly kind: TimelineKind }

interface Read {
  readonly atUs: number
  readonly cursor: Cursor
  readonly entry: Entry
  /** Without a filter: another record says the same, or it is of no interest. */
  readonly isMinor?: boolean
}

interface List {
  /** Newest first. */
  readonly reads: Read[]
  /** There is none behind these. */
  readonly isEnd: boolean
}

/** One list of the ledger. */
interface Source {
  readonly form: readonly CursorPart[]
  readonly kinds: readonly TimelineKind[]
  readonly read: (after: Cursor | null, limit: number) => Promise<List>
}

/** The first number of a cursor before the first record. */
const unread = Number.MAX_SAFE_INTEGER
const unreadParts = { number: unread, int32: 0, string: '', uuid: '00000000-0000-0000-0000-000000000000' } as const

/** Merges the lists, each from its own cursor; the page token has all of them. */
async function listTimeline(parts: TimelineParts, request: ListTimelineRequest, context: HandlerContext) {
  const { kind } = request
  const isAny = kind === TimelineKind.UNSPECIFIED
  const checks = new FieldChecks().enumOrNone('kind', TimelineKindSchema, kind)
  const memberId = await memberIdOf(parts, checks, request.member)
  const seesActions = rolesOf(AuditService.method.listAuditRecords).includes(callerOf(context).role)
  const sources = sourcesOf(parts.adminLedger, memberId).filter(
    ({ kinds }) => (isAny || kinds.includes(kind)) && (seesActions || !kinds.includes(TimelineKind.ACTION)),
  )
  const filters = [memberId, kind, seesActions]
  const form = sources.flatMap((source) => source.form)
  const { size, after } = readPage(request, 'ListTimeline', { filters, form })
  const cursors = split(after ?? form.map((part) => unreadParts[part]), sources)
  const lists = await Promise.all(
    sources.map(({ read }, at) => read(cursors[at]![0] === unread ? null : cursors[at]!, size)),
  )
  const shown: Entry[] = []
  // A list of which no more is read may go on with the newest record of all.
  while (shown.length < size && lists.every(({ reads, isEnd }) => reads.length > 0 || isEnd)) {
    const at = newestOf(lists)
    const next = lists[at]?.reads.shift()
    if (next === undefined) break
    cursors[at] = next.cursor
    if (isAny ? next.isMinor !== true : next.entry.kind === kind) shown.push(next.entry)
  }
  const isLast = lists.every(({ reads, isEnd }) => reads.length === 0 && isEnd)
  return {
    entries: await withSales(parts.adminLedger, shown),
    nextPageToken: isLast ? '' : pageToken('ListTimeline', filters, cursors.flat()),
  }
}

function split(cursor: Cursor, sources: readonly Source[]): Cursor[] {
  const rest = [...cursor]
  return sources.map(({ form }) => rest.splice(0, form.length))
}

/** The place of the list with the newest record; of equal ones the first. */
function newestOf(lists: readonly List[]): number {
  const times = lists.map(({ reads }) => reads[0]?.atUs ?? Number.NEGATIVE_INFINITY)
  return times.indexOf(Math.max(...times))
}

async function withSales({ sales }: TimelineParts['adminLedger'], entries: readonly Entry[]): Promise<Entry[]> {
  const idOf = ({ kind, record }: Entry) => {
    if (record?.case === 'returned') return record.value.calculationId!
    return record?.case === 'basket' && kind === TimelineKind.VISIT ? record.value.calculationId! : null
  }
  const sold = await sales.listAt(entries.flatMap((entry) => idOf(entry) ?? []))
  const byId = new Map<string | null, InspectedSale>(sold.map((sale) => [sale.calculationId, sale]))
  return entries.map((entry) => {
    const sale = byId.get(idOf(entry))
    return sale === undefined ? entry : { ...entry, sale: messageFromSale(sale) }
  })
}

function sourcesOf(ledger: TimelineParts['adminLedger'], memberId: string): readonly Source[] {
  const { VISIT, BASKET, RETURN, EARNED, SPENT, VALUE, TIER } = TimelineKind
  return [
    source([VISIT, BASKET], ['number', 'uuid'], {
      list: (after, limit) =>
        ledger.calculations.list({ ...anyCalculation, memberId }, { after: after as [number, string], limit }),
      shown: (basket) => ({
        atUs: basket.answeredAtUs,
        cursor: [basket.answeredAtUs, basket.calculationId],
        isMinor: basket.state === 'superseded',
        entry: entryOf(basket.state === 'finalised' ? VISIT : BASKET, basket.answeredAt, {
          case: 'basket',
          value: messageFromSummary(basket),
        }),
      }),
    }),
    source([RETURN, EARNED, SPENT, VALUE], ['number', 'number', 'string', 'string'], {
      list: (after, limit) =>
        ledger.value.listMovements({ memberId, currencyId: '' }, { after: after as MovementCursor, limit }),
      shown: (movement) => ({
        ...{ atUs: movement.cursor[0], cursor: movement.cursor, isMinor: movement.kind === 'returned' },
        entry: entryOf(movementKinds[movement.kind] ?? VALUE, movement.at, {
          case: 'movement',
          value: movement,
        }),
      }),
    }),
    source([RETURN], ['number', 'number'], {
      list: (after, limit) =>
        ledger.returns.list({ ...anyReturn, memberId }, { after: after as [number, number], limit }),
      shown: (made) => ({
        ...{ atUs: made.recordedAtUs, cursor: [made.recordedAtUs, made.returnId] },
        entry: entryOf(RETURN, made.recordedAt, { case: 'returned', value: messageFromReturn(made) }),
      }),
    }),
    source([TIER], ['number'], {
      list: (after, limit) =>
        ledger.events.list({ memberId, type: 'tier.changed' }, { after: after as [number], limit }),
      shown: ({ atUs, eventId, body }) => ({
        ...{ atUs, cursor: [eventId] },
        entry: entryOf(TIER, Math.floor(atUs / 1_000), { case: 'tier', value: tierChangeFrom(body) }),
      }),
    }),
    actionsOf(ledger, memberId),
  ]
}

/** Its list has ends of its own: a page of audit records is bounded in bytes too. */
function actionsOf({ audit }: TimelineParts['adminLedger'], memberId: string): Source {
  const { ACTION } = TimelineKind
  return {
    kinds: [ACTION],
    form: ['number'],
    async read(after, limit) {
      const subject = { kind: 'member', id: memberId, withMerged: true }
      const { records, next } = await audit.list(subject, { after: after as [number] | null, limit })
      const reads = records.map((facts) => {
        const value = { ...messageFromFacts(facts), beforeJson: '', afterJson: '' }
        return {
          ...{ atUs: facts.at * 1_000, cursor: [facts.auditId], isMinor: movesValue.test(facts.call) },
          entry: entryOf(ACTION, facts.at, { case: 'action', value }),
        }
      })
      return { reads, isEnd: next === null }
    },
  }
}

function entryOf(kind: TimelineKind, atMs: number, record: NonNullable<Entry['record']>): Entry {
  return { kind, at: atMs, record }
}

const anyReturn = { fromUs: 0, untilUs: Number.MAX_SAFE_INTEGER, calculationId: '' }

const movementKinds: Readonly<Record<string, TimelineKind>> = {
  ...{ earned: TimelineKind.EARNED, used: TimelineKind.SPENT, returned: TimelineKind.RETURN },
}

/** Calls whose audit records say what a movement or a return says. */
const movesValue = /^(Value|Reward|Return)Service\//

interface Listed<Row> {
  readonly list: (after: Cursor | null, limit: number) => Promise<readonly Row[]>
  readonly shown: (row: Row) => Read
}

function source<Row>(
  kinds: readonly TimelineKind[],
  form: readonly CursorPart[],
  { list, shown }: Listed<Row>,
): Source {
  return {
    ...{ kinds, form },
    async read(after, limit) {
      const rows = await list(after, limit)
      return { reads: rows.map(shown), isEnd: rows.length < limit }
    },
  }
}

function tierChangeFrom(body: string) {
  const { tierId, previousTierId, until } = JSON.parse(body) as TierChanged
  return { tier: tierId, previousTier: previousTierId, until }
}

interface TierChanged {
  readonly tierId: string | null
  readonly previousTierId: string | null
  readonly until: number | null
}
