import { randomUUID } from 'node:crypto'
import { type DescMessage, toJsonString } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { PricingEngine, PricingFacts } from '../../../engine/index.js'
import type { CalculationSummary } from '../../../store/ledger/calculations.js'
import type { MovementCursor } from '../../../store/ledger/value.js'
import type { AdminLedger } from '../../../store/ledger.js'
import { AuditRecordSchema } from '../../gen/loyalty/v1/audit_service_pb.js'
import {
  ExportedBasketSchema,
  ExportedCalculationSchema,
  ExportedSaleSchema,
  MemberDocumentSchema,
} from '../../gen/loyalty/v1/member_document_pb.js'
import type { ExportMemberRequest, ExportMemberResponseSchema } from '../../gen/loyalty/v1/member_service_pb.js'
import { MovementSchema } from '../../gen/loyalty/v1/value_service_pb.js'
import { callerOf } from '../access.js'
import { FieldChecks } from '../messages/fields.js'
import { messageFrom, type RecordOf } from '../messages/message.js'
import { ValueFields } from '../messages/value-fields.js'
import { messageFromFacts } from './audit-service.js'
import { messageFromSummary } from './calculation-service.js'
import { findMember, standingRecord } from './find-member.js'
import { messageFromReturn } from './return-service.js'
import { messageFromSale } from './sale-service.js'

/** Rows in memory at once, with their bodies. */
const pageMax = 100
const limitsMax = 10_000
const returnsMax = 500

export interface ExportParts {
  readonly adminLedger: Pick<
    AdminLedger,
    'members' | 'value' | 'calculations' | 'sales' | 'returns' | 'counters' | 'experiments' | 'audit'
  >
  readonly engine: Pick<PricingEngine, 'unpack'>
}

type Part = RecordOf<typeof ExportMemberResponseSchema>

/** Writes a MemberDocument a page at a time, so that members of any size fit in memory. */
export async function* exportMember(
  parts: ExportParts,
  request: ExportMemberRequest,
  context: HandlerContext,
): AsyncGenerator<Part> {
  const { adminLedger } = parts
  const checks = new FieldChecks()
  const name = new ValueFields(checks).member('member', request.member)
  checks.done()
  const member = await findMember(adminLedger, name)
  const { memberId } = member
  const by = { requestId: randomUUID(), call: 'MemberService/ExportMember', actor: callerOf(context).name }
  const { pastLoyaltyIds, mergedMemberIds } = await adminLedger.members.noteExport(by, memberId)
  const head = {
    member,
    standing: standingRecord(await adminLedger.members.findStanding(memberId), member),
    ...{ pastLoyaltyIds, mergedMemberIds },
    accounts: await adminLedger.value.findAccounts(memberId),
    limits: await limitsOf(parts, memberId),
    experiments: await experimentsOf(parts, memberId),
  }
  const memberIds = [memberId, ...mergedMemberIds]
  const own = new Set([...member.loyaltyIds, ...pastLoyaltyIds])
  yield { json: textOf(MemberDocumentSchema, head).slice(0, -1) }
  yield* list('movements', MovementSchema, movementsOf(parts, memberIds))
  yield* list('calculations', ExportedCalculationSchema, calculationsOf(parts, memberId, own))
  yield* list('sales', ExportedSaleSchema, salesOf(parts, memberId, own))
  yield* list('audit', AuditRecordSchema, auditOf(parts, memberIds))
  yield* list('returnBaskets', ExportedBasketSchema, basketsOf(parts, memberIds, own))
  yield { json: '}' }
}

async function* list<D extends DescMessage>(
  name: string,
  schema: D,
  pages: AsyncIterable<readonly RecordOf<D>[]>,
): AsyncGenerator<Part> {
  yield { json: `,"${name}":[` }
  let separator = ''
  for await (const page of pages) {
    if (page.length === 0) continue
    yield { json: separator + page.map((row) => textOf(schema, row)).join(',') }
    separator = ','
  }
  yield { json: ']' }
}

function textOf<D extends DescMessage>(schema: D, record: RecordOf<D>): string {
  return toJsonString(schema, messageFrom(schema, record))
}

async function limitsOf({ adminLedger }: ExportParts, memberId: string) {
  const filter = { limitId: '', subject: memberId, period: '' }
  const counters = await adminLedger.counters.list(filter, { after: null, limit: limitsMax })
  return counters.map(({ limitId, subject, period, used, open, late }) => {
    return { limitId, subject, period, used, open, late }
  })
}

async function experimentsOf({ adminLedger }: ExportParts, memberId: string) {
  const entered = await adminLedger.experiments.findOfMember(memberId)
  return entered.map((each) => ({ ...each, name: JSON.parse(each.name) as string }))
}

async function* movementsOf({ adminLedger }: ExportParts, memberIds: readonly string[]) {
  for (const memberId of memberIds) {
    yield* pagesOf({
      read: (after: MovementCursor | null) =>
        adminLedger.value.listMovements({ memberId, currencyId: '' }, { after, limit: pageMax }),
      cursorOf: ({ cursor }) => cursor,
      shown: (movement) => movement,
    })
  }
}

/** Without a filter. */
export const anyCalculation = {
  ...{ fromUs: 0, untilUs: Number.MAX_SAFE_INTEGER, venueId: '', loyaltyId: '', status: '', state: '' },
  ...{ programmeVersion: null, cashRegisterId: '', receiptNumber: null, transactionId: '', benefitId: '' },
}

type TimeCursor = readonly [atUs: number, calculationId: string]

function calculationsOf({ adminLedger, engine }: ExportParts, memberId: string, own: ReadonlySet<string>) {
  const filter = { ...anyCalculation, memberId }
  return pagesOf({
    read: (after: TimeCursor | null) => adminLedger.calculations.list(filter, { after, limit: pageMax }),
    cursorOf: ({ answeredAtUs, calculationId }): TimeCursor => [answeredAtUs, calculationId],
    async shown(summary: CalculationSummary) {
      const body = (await adminLedger.calculations.find(summary.calculationId))?.body
      const bodies = body && (await engine.unpack(body.packed))
      return {
        calculation: { ...messageFromSummary(summary), ...ownCard(summary, own) },
        requestJson: bodies ? withOwnCard(bodies.request, own) : '',
        answerJson: bodies ? withOwnCard(bodies.answer, own) : '',
      }
    },
  })
}

function salesOf({ adminLedger }: ExportParts, memberId: string, own: ReadonlySet<string>) {
  return pagesOf({
    read: (after: TimeCursor | null) => adminLedger.sales.listOf(memberId, { after, limit: pageMax }),
    cursorOf: ({ sale }): TimeCursor => [sale.recordedAtUs, sale.calculationId],
    async shown({ sale, event }) {
      const filter = { fromUs: 0, untilUs: Number.MAX_SAFE_INTEGER, calculationId: sale.calculationId }
      const returns = await adminLedger.returns.list(filter, { after: null, limit: returnsMax })
      return {
        sale: { ...messageFromSale(sale), ...ownCard(sale, own) },
        eventJson: withOwnCard(event, own),
        returns: returns.map(messageFromReturn),
      }
    },
  })
}

function basketsOf({ adminLedger, engine }: ExportParts, memberIds: readonly string[], own: ReadonlySet<string>) {
  return pagesOf({
    read: (after: string | null) => adminLedger.returns.listBaskets(memberIds[0]!, { after, limit: pageMax }),
    cursorOf: ({ calculationId }) => calculationId,
    async shown({ calculationId, packed, facts }) {
      const { request, answer } = await engine.unpack(packed)
      const { member } = JSON.parse(facts) as PricingFacts
      return {
        ...{ calculationId, requestJson: withOwnCard(request, own), answerJson: withOwnCard(answer, own) },
        buyer: member !== null && memberIds.includes(member.memberId) ? member : null,
      }
    },
  })
}

/** A sale that was moved or claimed came with the card of another: that is not this member's to see. */
function withOwnCard(json: Uint8Array, own: ReadonlySet<string>): string {
  return Buffer.from(json)
    .toString()
    .replaceAll(/("loyaltyId"\s*:\s*)("(?:[^"\\]|\\.)*")/g, (field, name: string, card: string) =>
      own.has(JSON.parse(card)) ? field : `${name}""`,
    )
}

function ownCard({ loyaltyId }: { readonly loyaltyId: string | null }, own: ReadonlySet<string>): object {
  return loyaltyId === null || own.has(loyaltyId) ? {} : { loyaltyId: '' }
}

type AuditPage = Awaited<ReturnType<AdminLedger['audit']['list']>>

async function* auditOf({ adminLedger }: ExportParts, memberIds: readonly string[]) {
  for (const id of memberIds) {
    let after: readonly [number] | null = null
    do {
      const page: AuditPage = await adminLedger.audit.list({ kind: 'member', id }, { after, limit: pageMax })
      yield page.records.map(messageFromFacts)
      after = page.next === null ? null : [page.next]
    } while (after !== null)
  }
}

interface Paged<Row, Cursor, Shown> {
  readonly read: (after: Cursor | null) => Promise<readonly Row[]>
  readonly cursorOf: (row: Row) => Cursor
  readonly shown: (row: Row) => Shown | Promise<Shown>
}

async function* pagesOf<Row, Cursor, Shown>({
  read,
  cursorOf,
  shown,
}: Paged<Row, Cursor, Shown>): AsyncGenerator<readonly Shown[]> {
  let after: Cursor | null = null
  for (;;) {
    const rows = await read(after)
    const page: Shown[] = []
    // One after the other, so that an export leaves room for other calls.
    for (const row of rows) page.push(await shown(row))
    yield page
    if (rows.length < pageMax) return
    after = cursorOf(rows.at(-1)!)
  }
}
