import type { HandlerContext } from '@connectrpc/connect'
import type { ImportedBalance, MemberName } from '../../../store/ledger/value.js'
import type { AdminLedger } from '../../../store/ledger.js'
import {
  type AdjustValueRequest,
  type ImportBalancesRequest,
  type ListMovementsRequest,
  type TransferValueRequest,
  ValueService,
} from '../../gen/loyalty/v1/value_service_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { routeOf } from '../messages/message.js'
import { pageOf } from '../messages/page-token.js'
import { ValueFields } from '../messages/value-fields.js'
import { findMember } from './find-member.js'

/** Rows of one import: the ledger takes about a second for them. */
const rowsMax = 1_000

export interface ValueParts {
  readonly adminLedger: Pick<AdminLedger, 'members' | 'value'>
  readonly commands: Commands
}

/** Accounts of members (4-member-value, section 6). */
export function valueRoutes(parts: ValueParts) {
  const { adminLedger } = parts
  return routeOf(ValueService, {
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
      return { rows: await adminLedger.value.reportLiability() }
    },
  })
}

async function balancesOf(parts: ValueParts, name: MemberName) {
  const { memberId, tier: stored } = await findMember(parts.adminLedger, name)
  const accounts = await parts.adminLedger.value.findAccounts(memberId)
  const { tier } = await parts.adminLedger.members.findStanding(memberId)
  return { accounts, tier: tier === null ? stored : tier.tierId, tierUntil: tier?.until }
}

async function listMovements(parts: ValueParts, request: ListMovementsRequest) {
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
  return { movements: rows, nextPageToken }
}

/** Also lists a merged member's former accounts. */
async function listedMember({ adminLedger }: ValueParts, name: MemberName): Promise<string> {
  if ('memberId' in name && (await adminLedger.members.findMergedInto(name.memberId)) !== null) return name.memberId
  return (await findMember(adminLedger, name)).memberId
}

async function adjust(parts: ValueParts, request: AdjustValueRequest, context: HandlerContext) {
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
  await sendCommand(parts.commands.adjustValue, [adjustment], { request, context })
  return await balancesOf(parts, adjustment.member)
}

async function transfer(
  { commands }: ValueParts,
  request: TransferValueRequest,
  context: HandlerContext,
): Promise<void> {
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
  await sendCommand(commands.transferValue, [asked], {
    request,
    context,
    fields: {
      unknown_member: (place) => (place === 0 ? 'from' : 'to'),
    },
  })
}

async function importBalances(
  { commands }: ValueParts,
  request: ImportBalancesRequest,
  context: HandlerContext,
): Promise<void> {
  const { requestId, rows } = request
  new FieldChecks()
    .uuid('request_id', requestId)
    .expect('rows', rows.length >= 1 && rows.length <= rowsMax, `1 to ${rowsMax} rows`, String(rows.length))
    .done()
  const balances = balancesFrom(rows)
  const inRow = (field: string) => (place: number) => `rows[${place}].${field}`
  await sendCommand(commands.importBalances, [balances], {
    request,
    context,
    fields: {
      unknown_member: inRow('member'),
      unknown_currency: inRow('currency_id'),
      past_expiry: inRow('expires_at'),
      out_of_range: inRow('amount'),
      already_imported: inRow('reference'),
    },
  })
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
