import { randomUUID } from 'node:crypto'
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  toJsonString,
} from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Test } from 'tap'
import { BadRequestSchema, ErrorInfoSchema } from '../../../gateway/gen/google/rpc/error_details_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ReturnService } from '../../../gateway/gen/loyalty/v1/return_service_pb.js'
import { RewardService } from '../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { aBasket, aSale } from '../../e2e/basket.js'
import type { GrpcClient } from './grpc-client.js'
import type { Served } from './served.js'

const { getBalances, listMovements, adjustValue, transferValue, importBalances } = ValueService.method
const { activateReward, claimCode, importCodes } = RewardService.method
const { quoteReturn, recordReturn, listReturns } = ReturnService.method

const most = 2n ** 53n - 1n
interface Refusal {
  readonly code: string
  readonly reason: string
  readonly violations: readonly string[]
}

/** A call that must be refused: title, call, request, its reason and the field that it names. */
type BadCall = readonly [string, DescMethodUnary, object, string, RegExp]

/** Users' mistakes with member value, over gRPC and as JSON over HTTP: the field is named, and nothing changes. */
export function badValueSuite(t: Test, served: () => Served): void {
  t.test('bad input about value is refused by the field, and changes nothing', async (t) => {
    const admin = served().admin(t)
    const world = await aWorld(t, served())
    const before = await stateOf(admin, world)
    for (const [title, method, request, reason, violation] of badCalls(world)) {
      const whole = { requestId: randomUUID(), ...request }
      const outcome = await admin.unary(method, whole)
      t.match(outcome, { kind: 'refused', reason, violations: [violation] }, `${title}, gRPC`)
      t.match(await askJson(served(), method, whole), { reason, violations: [violation] }, `${title}, JSON`)
    }
    t.same(await stateOf(admin, world), before)
  })

  t.test('a number that no JSON reader may round is refused by its field', async (t) => {
    const { member } = await aWorld(t, served())
    for (const amount of ['1.5', '1e20', '"9223372036854775808"', '"x"', 'true']) {
      const text = `{"requestId":"${randomUUID()}","member":{"memberId":"${member.by.value}"},"currencyId":"stamps","amount":${amount},"reason":"x"}`
      const answer = await post(served(), 'ValueService/AdjustValue', text)
      t.match(answer, { code: 'invalid_argument', reason: 'INVALID_REQUEST' }, amount)
      t.match(answer.text, /amount/, amount)
    }
  })
}

type World = Awaited<ReturnType<typeof aWorld>>

/** A member with five stamps and a code that is claimed, another one, and a sale of two coffees. */
async function aWorld(t: Test, served: Served) {
  const admin = served.admin(t)
  const names = [1, 2].map(() => `member-${randomUUID()}`)
  const cards = names.map((name) => `card-of-${name}`)
  const members = names.map((memberId, at) => ({ memberId, loyaltyIds: [cards[at]!] }))
  await admin.ask(MemberService.method.upsertMembers, { requestId: randomUUID(), members })
  const [member, other] = names.map((value) => ({ by: { case: 'memberId', value } }) as const)
  const gift = { requestId: randomUUID(), member: member!, currencyId: 'stamps', amount: 5n, reason: 'x' }
  await admin.ask(adjustValue, gift)
  const code = `code-${randomUUID()}`
  await admin.ask(importCodes, { requestId: randomUUID(), currencyId: 'stamps', amount: 1n, codes: [code] })
  await admin.ask(claimCode, { requestId: randomUUID(), member: other!, code })
  const basket = aBasket(cards[0]!).line({ productId: 'mug', quantity: 2, unitPrice: 450 }).body()
  const { json } = await served.send('/v1/pos/basket', JSON.stringify(basket))
  const paidTotal = (json.basket ?? basket).totals.net
  await served.send('/v1/pos/sale', JSON.stringify(aSale(basket, { status: json.status, paidTotal })))
  return { member: member!, other: other!, code, calculationId: String(basket['calculationId']) }
}

/** The state that the calls could have changed. */
async function stateOf(admin: GrpcClient, { member, other, calculationId }: World) {
  const each = async (name: World['member']) => [
    // A refused exchange may leave an account without anything in it.
    (await admin.ask(getBalances, { member: name })).accounts.filter(({ lots, debt }) => lots.length > 0 || debt > 0n),
    (await admin.ask(listMovements, { member: name })).movements,
  ]
  const { returns } = await admin.ask(listReturns, { calculationId })
  return JSON.stringify([await each(member), await each(other), returns], (_, each) =>
    typeof each === 'bigint' ? String(each) : each,
  )
}

function badCalls({ member, other, code, calculationId }: World): readonly BadCall[] {
  const adjustment = { member, currencyId: 'stamps', amount: 1n, reason: 'x' }
  const transfer = { from: member, to: other, currencyId: 'stamps', amount: 1n, reason: 'x' }
  const rows = Array.from({ length: 1_000 }, () => ({
    member,
    currencyId: 'stamps',
    amount: 1n,
    reference: randomUUID(),
  }))
  const withRow = (more: object) => ({ rows: rows.map((row, at) => (at === 998 ? { ...row, ...more } : row)) })
  const aReturn = (quantityThousandths: bigint, lineId = 'line-1') => ({
    ...{ calculationId, lines: [{ lineId, quantityThousandths }], reference: 'note' },
    occurredAt: timestampFromMs(Date.now()),
  })
  const exchange = { member, fromCurrencyId: 'stamps', toCurrencyId: 'coffees', times: 1 }
  const unknown = 'CURRENCY_NOT_FOUND'
  const invalid = 'INVALID_REQUEST'
  return [
    ['moved', transferValue, { ...transfer, currencyId: 'no-such' }, unknown, /^currency_id: .*no-such/],
    [
      'in codes',
      importCodes,
      { currencyId: 'no-such', amount: 1n, codes: ['code-of-nobody'] },
      unknown,
      /^currency_id: .*no-such/,
    ],
    [
      'below zero',
      adjustValue,
      { ...adjustment, amount: -6n },
      'INSUFFICIENT_VALUE',
      /^amount: expected to take at most 5.*; received "-6"/,
    ],
    ['exchanged', activateReward, exchange, 'INSUFFICIENT_VALUE', /^times: expected to take at most 5.*; received "1"/],
    [
      '2^53 moved',
      transferValue,
      { ...transfer, amount: most + 1n },
      invalid,
      /^amount: expected .*; received "9007199254740992"/,
    ],
    [
      'more returned than bought',
      recordReturn,
      aReturn(3_000n),
      invalid,
      /^lines\[0\]\.quantity_thousandths: expected a multiple of 1000 up to 2000; received "3000"/,
    ],
    [
      'half a unit returned',
      quoteReturn,
      aReturn(500n),
      invalid,
      /^lines\[0\]\.quantity_thousandths: expected .*1000.*"500"/,
    ],
    ['a code claimed twice', claimCode, { member, code }, 'CODE_NOT_OPEN', /^code: .*claimed/],
    [
      'a wrong member in row 999',
      importBalances,
      withRow({ member: { by: { case: 'memberId', value: 'nobody' } } }),
      'MEMBER_NOT_FOUND',
      /^rows\[998\]\.member: /,
    ],
  ]
}

async function askJson<I extends DescMessage, O extends DescMessage>(
  served: Served,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): Promise<Refusal> {
  const text = toJsonString(method.input, create(method.input, request))
  return await post(served, `${method.parent.name}/${method.name}`, text)
}

/** As curl sends it. */
async function post(
  { service, tokens }: Served,
  path: string,
  body: string,
): Promise<Refusal & { readonly text: string }> {
  const response = await fetch(`${service.internalUrl}/loyalty.v1.${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' },
    body,
  })
  const text = await response.text()
  const { code, details = [] } = JSON.parse(text) as { code: string; details?: { type: string; value: string }[] }
  const of = (type: string) => {
    const found = details.find((detail) => detail.type === type)
    return found === undefined ? undefined : Buffer.from(found.value, 'base64')
  }
  const [info, bad] = [of('google.rpc.ErrorInfo'), of('google.rpc.BadRequest')]
  const violations = bad === undefined ? [] : fromBinary(BadRequestSchema, bad).fieldViolations
  return {
    code,
    reason: info === undefined ? '' : fromBinary(ErrorInfoSchema, info).reason,
    violations: violations.map(({ field, description }) => `${field}: ${description}`),
    text,
  }
}
