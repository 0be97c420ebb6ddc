import { randomUUID } from 'node:crypto'
import { timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { pageToken } from '../../../gateway/internal/messages/page-token.js'
import type { GrpcClient } from './grpc-client.js'
import { nameOfToken, type Served } from './served.js'

const { getBalances, listMovements, adjustValue, transferValue, importBalances, reportLiability } = ValueService.method
const most = 2n ** 53n - 1n

/** A member of this suite alone. */
async function enrol(admin: GrpcClient) {
  const [memberId, card] = [`member-${randomUUID()}`, `card-${randomUUID()}`]
  const members = [{ memberId, loyaltyIds: [card], tier: 'gold' }]
  await admin.ask(MemberService.method.upsertMembers, { requestId: randomUUID(), members })
  return { memberId, card, name: { by: { case: 'memberId', value: memberId } } as const }
}

type Name = Awaited<ReturnType<typeof enrol>>['name']

const anAdjustment = (member: Name, more: object = {}) => ({
  requestId: randomUUID(),
  member,
  currencyId: 'stamps',
  amount: 3n,
  reason: 'a gift',
  ...more,
})

const aRow = (member: Name, more: object = {}) => ({
  member,
  currencyId: 'stamps',
  amount: 2n,
  reference: randomUUID(),
  ...more,
})

/** ValueService. */
export function valueSuite(t: Test, served: () => Served): void {
  t.test('what is adjusted shows in balances and movements, by either name of the member', async (t) => {
    const [admin, reader] = [served().admin(t), served().reader(t)]
    const { memberId, card, name } = await enrol(admin)
    t.match(await reader.ask(getBalances, { member: name }), { accounts: [], tier: 'gold' })
    const opensAt = timestampFromMs(Date.now() + 86_400_000)
    const expiresAt = timestampFromMs(Date.now() + 9 * 86_400_000)
    const kroner = anAdjustment(name, { currencyId: 'kroner', amount: 1250n, opensAt, expiresAt })
    t.match(await admin.ask(adjustValue, kroner), { accounts: [{ currencyId: 'kroner', pending: 1250n }] })
    const answered = await admin.ask(adjustValue, anAdjustment(name))
    const byCard = { by: { case: 'loyaltyId', value: card } } as const
    const balances = await reader.ask(getBalances, { member: byCard })
    t.match(answered.accounts, balances.accounts)
    t.match(balances.accounts, [
      {
        ...{ currencyId: 'kroner', name: 'Bonus kroner', scale: 2, available: 0n, pending: 1250n, held: 0n, debt: 0n },
        lots: [{ amount: 1250n, held: 0n, opensAt, expiresAt }],
      },
      { currencyId: 'stamps', name: 'Stamps', scale: 0, available: 3n, lots: [{ amount: 3n, expiresAt: undefined }] },
    ])
    const { movements, nextPageToken } = await reader.ask(listMovements, { member: byCard })
    t.equal(nextPageToken, '')
    const actor = nameOfToken('admin', served().tokens.admin)
    t.match(movements, [
      { kind: 'adjusted', currencyId: 'stamps', amount: 3n, reason: 'a gift', actor },
      { kind: 'adjusted', currencyId: 'kroner', amount: 1250n, cause: `request:${kroner.requestId}` },
    ])
    t.ok(Math.abs(timestampDate(movements[0]!.at!).getTime() - Date.now()) < 120_000)
    const { records } = await admin.ask(AuditService.method.listAuditRecords, {
      subjectKind: 'member',
      subjectId: memberId,
    })
    t.match(records[0], { call: 'ValueService/AdjustValue', actor })
    t.match(JSON.parse(records[0]!.afterJson), { currencyId: 'stamps', available: 3 })
  })

  t.test('a transfer moves value, and only between two members', async (t) => {
    const admin = served().admin(t)
    const [giver, receiver] = [await enrol(admin), await enrol(admin)]
    await admin.ask(adjustValue, anAdjustment(giver.name))
    const request = { requestId: randomUUID(), from: giver.name, to: receiver.name, currencyId: 'stamps', amount: 2n }
    const transfer = { ...request, reason: 'lost card' }
    await admin.ask(transferValue, transfer)
    await admin.ask(transferValue, transfer)
    t.match(await admin.ask(getBalances, { member: giver.name }), { accounts: [{ available: 1n }] })
    t.match(await admin.ask(getBalances, { member: receiver.name }), { accounts: [{ available: 2n }] })
    const again = (more: object) => admin.unary(transferValue, { ...transfer, requestId: randomUUID(), ...more })
    const byCard = { by: { case: 'loyaltyId', value: giver.card } } as const
    t.match(await again({ to: byCard }), { code: 3, reason: 'INVALID_REQUEST', violations: [/^to: expected another/] })
    const nobody = { by: { case: 'loyaltyId', value: 'nobody' } } as const
    t.match(await again({ to: nobody }), { code: 5, reason: 'MEMBER_NOT_FOUND', violations: [/^to: /] })
    t.match(await again({ from: nobody }), { code: 5, violations: [/^from: /] })
    t.match(await again({ amount: 2n }), { code: 9, reason: 'INSUFFICIENT_VALUE', metadata: { available: '1' } })
    t.match(await again({ amount: -1n, reason: '' }), { code: 3, violations: [/^amount: /, /^reason: /] })
  })

  t.test('an import is stored whole or names its first wrong row', async (t) => {
    const admin = served().admin(t)
    const { name } = await enrol(admin)
    const rows = Array.from({ length: 20 }, () => aRow(name))
    const ask = (rows: object[]) => admin.unary(importBalances, { requestId: randomUUID(), rows })
    const nobody = { by: { case: 'memberId', value: 'nobody' } } as const
    const wrong = [
      [{ currencyId: 'no-such' }, 5, 'CURRENCY_NOT_FOUND', /^rows\[18\]\.currency_id: /],
      [{ member: nobody }, 5, 'MEMBER_NOT_FOUND', /^rows\[18\]\.member: /],
      [{ amount: 0n }, 3, 'INVALID_REQUEST', /^rows\[18\]\.amount: expected 1 to 9007199254740991; received "0"/],
      [{ amount: -1n }, 3, 'INVALID_REQUEST', /^rows\[18\]\.amount: /],
      [{ amount: most + 1n }, 3, 'INVALID_REQUEST', /^rows\[18\]\.amount: /],
      [{ amount: most }, 11, 'OUT_OF_RANGE', /^rows\[18\]\.amount: /],
      [{ reference: rows[0]!.reference }, 3, 'INVALID_REQUEST', /^rows\[18\]\.reference: .*rows\[0\] has it already/],
      [{ expiresAt: timestampFromMs(0) }, 3, 'INVALID_REQUEST', /^rows\[18\]\.expires_at: /],
    ] as const
    for (const [more, code, reason, violation] of wrong) {
      const outcome = await ask(rows.map((row, at) => (at === 18 ? { ...row, ...more } : row)))
      t.match(outcome, { code, reason, violations: [violation] }, reason)
    }
    t.match(await admin.ask(getBalances, { member: name }), { accounts: [] })
    t.match(await ask(rows), { kind: 'answered' })
    t.match(await ask([aRow(name), rows[7]!]), { code: 6, reason: 'ALREADY_IMPORTED', violations: [/^rows\[1\]\.ref/] })
    for (const count of [0, 1_001])
      t.match(await ask(Array.from({ length: count }, () => aRow(name))), { code: 3, violations: [/^rows: /] })
    t.match(await admin.ask(getBalances, { member: name }), { accounts: [{ available: 40n }] })
    const { rows: liability } = await admin.ask(reportLiability, {})
    t.ok(liability.find(({ currencyId, expiryMonth }) => currencyId === 'stamps' && expiryMonth === '')!.amount >= 40n)
  })

  refusalSuite(t, served)
}

function refusalSuite(t: Test, served: () => Served): void {
  t.test('each wrong field is named', async (t) => {
    const admin = served().admin(t)
    const { name } = await enrol(admin)
    const at = (ms: number) => timestampFromMs(ms)
    const soon = Date.now() + 86_400_000
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ requestId: 'x' }, /^request_id: /],
      [{ member: undefined }, /^member: expected a member_id or a loyalty_id; received nothing/],
      [{ member: { by: { case: 'memberId', value: '' } } }, /^member\.member_id: /],
      [{ currencyId: '' }, /^currency_id: /],
      [{ amount: 0n }, /^amount: expected .* but not 0/],
      [{ amount: most + 1n }, /^amount: /],
      [{ amount: -most - 1n }, /^amount: /],
      [{ reason: '' }, /^reason: /],
      [{ reason: 'x'.repeat(129) }, /^reason: /],
      [{ reason: 'a\nb' }, /^reason: /],
      [{ expiresAt: at(Date.now() - 60_000) }, /^expires_at: /],
      [{ opensAt: at(soon), expiresAt: at(soon) }, /^expires_at: expected a moment after opens_at/],
      [{ opensAt: { seconds: 2n ** 62n, nanos: 0 } }, /^opens_at: /],
      [{ expiresAt: { seconds: 1n, nanos: -1 } }, /^expires_at: /],
      [{ amount: -1n, expiresAt: at(soon) }, /^amount: expected 1 or more with/],
      [{ amount: -1n, neverExpires: true }, /^amount: expected 1 or more with .* never_expires/],
      [{ expiresAt: at(soon), neverExpires: true }, /^never_expires: expected false with expires_at/],
    ]
    for (const [more, violation] of wrong) {
      const outcome = await admin.unary(adjustValue, anAdjustment(name, more))
      t.match(outcome, { code: 3, reason: 'INVALID_REQUEST', violations: [violation] }, String(violation))
    }
    const unknown = anAdjustment(name, { currencyId: 'no-such' })
    t.match(await admin.unary(adjustValue, unknown), { code: 5, reason: 'CURRENCY_NOT_FOUND' })
    await admin.ask(adjustValue, anAdjustment(name, { amount: most }))
    t.match(await admin.unary(adjustValue, anAdjustment(name)), { code: 11, reason: 'OUT_OF_RANGE' })
    t.match(await admin.ask(getBalances, { member: name }), { accounts: [{ available: most }] })
    for (const by of [
      { case: 'memberId', value: 'nobody' },
      { case: 'loyaltyId', value: 'a\0b' },
    ] as const) {
      const refused = { code: 5, reason: 'MEMBER_NOT_FOUND' }
      t.match(await admin.unary(getBalances, { member: { by } }), refused)
      t.match(await admin.unary(listMovements, { member: { by } }), refused)
      t.match(await admin.unary(adjustValue, anAdjustment({ by } as never)), refused)
    }
  })

  t.test('pages continue where they ended, and their tokens are for one member and currency', async (t) => {
    const admin = served().admin(t)
    const { name } = await enrol(admin)
    for (const amount of [1n, 2n, 3n]) await admin.ask(adjustValue, anAdjustment(name, { amount }))
    const seen: bigint[] = []
    let token = ''
    do {
      const page = await admin.ask(listMovements, { member: name, pageSize: 2, pageToken: token, currencyId: 'stamps' })
      seen.push(...page.movements.map(({ amount }) => amount))
      token = page.nextPageToken
    } while (token !== '')
    t.same(seen, [3n, 2n, 1n])
    const { nextPageToken } = await admin.ask(listMovements, { member: name, pageSize: 1 })
    const refused = { code: 3, reason: 'PAGE_TOKEN_INVALID' }
    t.match(await admin.unary(listMovements, { member: name, pageToken: nextPageToken, currencyId: 'stamps' }), refused)
    const filters = [{ memberId: name.by.value }, '']
    for (const cursor of [
      [-1, 1, 'a', 'b'],
      [1, 2 ** 53, 'a', 'b'],
      [1, 1, 'a\0', 'b'],
      [1, 1, 'a', null],
      [1, 1, 'a'],
    ]) {
      const forged = pageToken('ListMovements', filters, cursor as never)
      t.match(await admin.unary(listMovements, { member: name, pageToken: forged }), refused, JSON.stringify(cursor))
    }
    const oldest = pageToken('ListMovements', filters, [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'a', 'b'])
    t.equal((await admin.ask(listMovements, { member: name, pageToken: oldest })).movements.length, 3)
  })
}
