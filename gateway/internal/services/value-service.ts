import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import type { ConnectError, ConnectRouter, HandlerContext } from '@connectrpc/connect'
import type {
  AccountState,
  AdjustmentReply,
  ImportedBalance,
  ImportReply,
  MemberName,
  MovementState,
  TransferReply,
} from '../../../store/ledger/value.js'
import type { AdminLedger } from '../../../store/ledger.js'
import {
  type AccountSchema,
  type AdjustValueRequest,
  type ImportBalancesRequest,
  type ListMovementsRequest,
  type ListMovementsResponseSchema,
  type MovementSchema,
  type TransferValueRequest,
  ValueService,
} from '../../gen/loyalty/v1/value_service_pb.js'
import { invalidFields, refusedField } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks, quoted, timestamp } from '../messages/fields.js'
import { pageOf } from '../messages/page-token.js'
import { receivedAt } from '../messages/received-at.js'
import { ValueFields } from '../messages/value-fields.js'
import { refusalOfValue } from '../messages/value-refusal.js'
import { findMember } from './find-member.js'

/** Rows of one import: the ledger takes about a second for them. */
const rowsMax = 1_000

export interface ValueParts {
  readonly adminLedger: Pick<AdminLedger, 'members' | 'value'>
}

/** Accounts of members (4-member-value, section 6). */
export function valueRoutes(parts: ValueParts): (router: ConnectRouter) => void {
  const { adminLedger } = parts
  return (router) => {
    router.service(ValueService, {
      async getBalances(request) {
        const checks = new FieldChecks()
        const name = new ValueFields(checks).member('member', request.member)
        checks.done()
        return await balancesOf(parts, name)
      },
      listMovements: (request) => listMovements(parts, request),
      adjustValue: (request, context) => adjust(parts, request, context),
      async transferValue(request, context) {
        await transfer(parts, request, context)
        return {}
      },
      async importBalances(request, context) {
        await importBalances(parts, request, context)
        return {}
      },
      async reportLiability() {
        return { rows: [...(await adminLedger.value.reportLiability())] }
      },
    })
  }
}

interface Balances {
  readonly accounts: MessageInitShape<typeof AccountSchema>[]
  readonly tier?: string
  readonly tierUntil?: Timestamp
}

async function balancesOf(parts: ValueParts, name: MemberName): Promise<Balances> {
  const { memberId, tier: stored } = await findMember(parts.adminLedger, name)
  const accounts = await parts.adminLedger.value.findAccounts(memberId)
  const { tier } = await parts.adminLedger.members.findStanding(memberId)
  const own = stored === null ? {} : { tier: stored }
  return {
    accounts: accounts.map(messageFromAccount),
    ...(tier === null ? own : { tier: tier.tierId, tierUntil: timestamp(tier.until) }),
  }
}

async function listMovements(
  parts: ValueParts,
  request: ListMovementsRequest,
): Promise<MessageInitShape<typeof ListMovementsResponseSchema>> {
  const { currencyId } = request
  const checks = new FieldChecks().idOrEmpty('currency_id', currencyId)
  const name = new ValueFields(checks).member('member', request.member)
  checks.done()
  const { rows, nextPageToken } = await pageOf(request, {
    name: 'ListMovements',
    filters: [name, currencyId],
    form: ['number', 'number', 'string', 'string'],
    async read(page) {
      const memberId = await listedMember(parts, name)
      return await parts.adminLedger.value.listMovements({ memberId, currencyId }, page)
    },
    cursorOf: ({ cursor }) => cursor,
  })
  return { movements: rows.map(messageFromMovement), nextPageToken }
}

/** Also lists a merged member's former accounts. */
async function listedMember({ adminLedger }: ValueParts, name: MemberName): Promise<string> {
  if ('memberId' in name && (await adminLedger.members.findMergedInto(name.memberId)) !== null) return name.memberId
  return (await findMember(adminLedger, name)).memberId
}

async function adjust(parts: ValueParts, request: AdjustValueRequest, context: HandlerContext): Promise<Balances> {
  const { requestId, currencyId } = request
  const checks = new FieldChecks().uuid('request_id', requestId).id('currency_id', currencyId)
  const fields = new ValueFields(checks)
  const dates = fields.dates('', request)
  const adjustment = {
    member: fields.member('member', request.member),
    currencyId,
    amount: fields.signedAmount('amount', request.amount),
    reason: fields.reason('reason', request.reason),
    ...dates,
    expiresAt: request.neverExpires ? ('never' as const) : dates.expiresAt,
  }
  const { amount, opensAt, expiresAt } = adjustment
  const isDated = opensAt !== null || expiresAt !== null
  checks
    .expect('never_expires', !request.neverExpires || dates.expiresAt === null, 'false with expires_at', 'true')
    .expect('amount', amount > 0 || !isDated, '1 or more with opens_at, expires_at or never_expires', String(amount))
    .done()
  const reply = await sendCommand(request, context, (command) => parts.adminLedger.value.adjust(command, adjustment))
  if (reply.kind !== 'done') throw refusalFrom(reply, { request, path: () => '', members: ['member'] })
  return await balancesOf(parts, adjustment.member)
}

async function transfer(parts: ValueParts, request: TransferValueRequest, context: HandlerContext): Promise<void> {
  const { requestId, currencyId } = request
  const checks = new FieldChecks().uuid('request_id', requestId).id('currency_id', currencyId)
  const fields = new ValueFields(checks)
  const asked = {
    from: fields.member('from', request.from),
    to: fields.member('to', request.to),
    currencyId,
    amount: fields.amount('amount', request.amount),
    reason: fields.reason('reason', request.reason),
  }
  checks.done()
  const reply = await sendCommand(request, context, (command) => parts.adminLedger.value.transfer(command, asked))
  if (reply.kind !== 'done') throw refusalFrom(reply, { request, path: () => '', members: ['from', 'to'] })
}

async function importBalances(
  parts: ValueParts,
  request: ImportBalancesRequest,
  context: HandlerContext,
): Promise<void> {
  const { requestId, rows } = request
  new FieldChecks()
    .uuid('request_id', requestId)
    .expect('rows', rows.length >= 1 && rows.length <= rowsMax, `1 to ${rowsMax} rows`, String(rows.length))
    .done()
  const balances = balancesFrom(rows)
  const reply = await sendCommand(request, context, (command) =>
    parts.adminLedger.value.importBalances(command, balances),
  )
  if (reply.kind === 'done') return
  throw refusalFrom(reply, { request, path: (place) => `rows[${place}].`, members: ['member'] })
}

function balancesFrom(rows: ImportBalancesRequest['rows']): readonly ImportedBalance[] {
  const checks = new FieldChecks()
  const fields = new ValueFields(checks)
  const seen = new Map<string, number>()
  const balances = rows.map((row, place) => {
    const path = `rows[${place}].`
    const { currencyId, reference } = row
    checks.id(`${path}currency_id`, currencyId).id(`${path}reference`, reference)
    const key = JSON.stringify([currencyId, reference])
    const earlier = seen.get(key)
    const expected = `a reference of its own: rows[${earlier}] has it already`
    checks.expect(`${path}reference`, earlier === undefined, expected, reference)
    if (earlier === undefined) seen.set(key, place)
    return {
      member: fields.member(`${path}member`, row.member),
      currencyId,
      amount: fields.amount(`${path}amount`, row.amount),
      reference,
      ...fields.dates(path, row),
    }
  })
  checks.done()
  return balances
}

type Refusal = Exclude<AdjustmentReply | TransferReply | ImportReply, { readonly kind: 'done' | 'request_id_conflict' }>

interface Places {
  readonly request: object
  /** Path of the row at this place. */
  readonly path: (place: number) => string
  /** Fields that name a member: of a single request by the place of the member, of rows the only one. */
  readonly members: readonly string[]
}

function refusalFrom(reply: Refusal, { request, path, members }: Places): ConnectError {
  switch (reply.kind) {
    case 'unknown_member':
      return refusalOfValue(reply, `${path(reply.place)}${members[reply.place] ?? members[0]}`, request)
    case 'unknown_currency':
      return refusalOfValue(reply, `${path(reply.place)}currency_id`, request)
    case 'past_expiry':
      return refusalOfValue(reply, `${path(reply.place)}expires_at`, request)
    case 'opens_after_expiry': {
      const expected = `a moment before ${new Date(reply.expiresAt).toISOString()}, when it expires by the rule of its currency`
      return invalidFields([{ field: 'opens_at', description: `expected ${expected}` }])
    }
    case 'same_member':
      return invalidFields([{ field: 'to', description: 'expected another member than in from' }])
    case 'out_of_range':
      return refusalOfValue(reply, `${path(reply.place)}amount`, request)
    case 'already_imported':
      return refusedField(
        'ALREADY_IMPORTED',
        `${path(reply.place)}reference`,
        `this reference was imported before; received ${quoted(receivedAt(request, `${path(reply.place)}reference`))}`,
      )
    case 'insufficient':
      return refusalOfValue(reply, 'amount', request)
  }
}

export function messageFromAccount({ lots, ...account }: AccountState): MessageInitShape<typeof AccountSchema> {
  const { currencyId, name, scale, available, pending, held, debt } = account
  return {
    currencyId,
    name,
    scale,
    available: BigInt(available),
    pending: BigInt(pending),
    held: BigInt(held),
    debt: BigInt(debt),
    lots: lots.map((lot) => ({
      amount: BigInt(lot.amount),
      held: BigInt(lot.held),
      opensAt: timestamp(lot.opensAt),
      expiresAt: timestamp(lot.expiresAt),
    })),
  }
}

export function messageFromMovement(movement: MovementState): MessageInitShape<typeof MovementSchema> {
  const { movementId, kind, cause, currencyId, amount, at, reason, actor } = movement
  return {
    movementId: BigInt(movementId),
    kind,
    cause,
    currencyId,
    amount: BigInt(amount),
    at: timestamp(at),
    reason,
    actor,
  }
}
