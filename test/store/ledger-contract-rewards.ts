import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { type ImportedCodes, segmentPageMax, type Vouchers, wrongCodesMax } from '../../store/ledger/rewards.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aMember, type Subject } from '../support/ledger-builders.js'
import { exchangePromises } from './ledger-contract-exchanges.js'
import { aValueCommand, aValueTable, expireLots } from './value-builders.js'

const most = Number.MAX_SAFE_INTEGER
const day = 86_400_000
const terms = { effect: 'writes', withinMs: 10_000 } as const

const aCode = () => `code-${randomUUID()}`

/** Vouchers, codes and exchanges. */
export async function rewardPromises(t: Test, subject: Subject): Promise<void> {
  await t.test('vouchers', (t) => voucherPromises(t, subject))
  await t.test('codes', (t) => codePromises(t, subject))
  await t.test('wrong codes', (t) => wrongCodePromises(t, subject))
  await t.test('exchanges', (t) => exchangePromises(t, subject))
}

async function voucherPromises(t: Test, { ledger }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const currencyId = await value.currency()
  const issue = (to: Vouchers['to'], more: Partial<Vouchers> = {}) =>
    ledger.rewards.issue(aValueCommand(), { to, currencyId, amount: 2, expiresAt: null, ...more })

  await t.test('a segment is served in pages, each member once', async (t) => {
    const segment = `segment-${randomUUID()}`
    const members = Array.from({ length: segmentPageMax + 1 }, () => aMember({ segments: ['other', segment] }))
    await ledger.members.store(aValueCommand(), members.slice(0, 500))
    await ledger.members.store(aValueCommand(), members.slice(500))
    const stranger = await value.enrol()
    const ids = members.map(({ memberId }) => memberId).sort()
    const [grant, other] = [`grant-${randomUUID()}`, `grant-${randomUUID()}`]
    const page = (after: string, grant: string | null = null) => issue({ segment, after, grant })
    const first = await page('')
    t.same(first, { kind: 'done', members: segmentPageMax, last: ids[segmentPageMax - 1] })
    t.same(await page(ids[segmentPageMax - 1]!), { kind: 'done', members: 1, last: null })
    for (const at of [0, 1, segmentPageMax - 1, segmentPageMax])
      t.match(await value.sums(ids[at]!, currencyId), { available: 2 }, String(at))
    t.same(await value.movements(stranger), [])
    t.same(await issue({ segment: 'no-such', after: '', grant }), { kind: 'done', members: 0, last: null })

    const [full, last] = [ids[3]!, ids[segmentPageMax - 1]!]
    await value.adjust(full, currencyId, most - 2)
    t.match(await page('', grant), { kind: 'out_of_range' }, 'a page is granted whole or not at all')
    await value.adjust(full, currencyId, -most + 2)
    const replies = await Promise.all(Array.from({ length: 3 }, () => page('', grant)))
    const counts = replies.map((reply) => (reply.kind === 'done' ? reply.members : -1)).sort()
    t.same(counts, [0, 0, segmentPageMax], 'three at once grant each member once')
    const found = async () => (await ledger.members.listSegments(grant)).find(({ segmentId }) => segmentId === segment)
    t.same(await found(), { segmentId: segment, members: segmentPageMax + 1, granted: segmentPageMax })
    t.same(await page(last, grant), { kind: 'done', members: 1, last: null })
    t.match(await page('', grant), { members: 0, last }, 'a repeat passes over all of them')
    t.match(await value.sums(full, currencyId), { available: 4 })
    t.match(await page('', other), { members: segmentPageMax }, 'another grant')

    const late = await value.enrol()
    await ledger.members.store(aValueCommand(), [{ memberId: late, segments: [segment] }])
    const names = { from: { memberId: ids[0]! }, into: { memberId: late } }
    await ledger.members.merge(aValueCommand(), { ...names, venueLimits: [], isDryRun: false })
    await ledger.members.forget(aValueCommand(), ids[1]!, [])
    const merged = await page('', grant)
    t.match(merged, { members: 0 }, 'a merged member keeps its grants')
    t.match(await found(), { members: segmentPageMax, granted: segmentPageMax })
  })
}

async function codePromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const currencyId = await value.currency()
  const put = (codes: readonly string[], more: Partial<ImportedCodes> = {}) =>
    ledger.rewards.importCodes(aValueCommand(), { codes, currencyId, amount: 5, expiresAt: null, ...more })
  const claim = (memberId: string, code: string) =>
    ledger.rewards.claim(aValueCommand(), { member: { memberId }, code })
  const done = { kind: 'done', currencyId, amount: 5 }

  await t.test('a code gives its amount once, and a repeat of the request its answer', async (t) => {
    const [member, other, code] = [await value.enrol(), await value.enrol(), aCode()]
    const expiresAt = Math.floor(ledger.clock()) + day
    const checked = { codes: [code], currencyId, amount: 5, expiresAt }
    t.same(await ledger.rewards.importCodes(aValueCommand(), checked, true), { kind: 'done' })
    t.same(await put([code], { expiresAt }), { kind: 'done' }, 'a dry run stored nothing')
    const command = aValueCommand()
    for (const times of [1, 2])
      t.same(await ledger.rewards.claim(command, { member: { memberId: member }, code }), done, String(times))
    t.same(await value.lots(member, currencyId), [[5, expiresAt]])
    t.same(await value.movements(member), ['claimed 5'])
    t.same(await claim(other, code), { kind: 'code_not_open', state: 'claimed' })
    t.same(await claim(member, code), { kind: 'code_not_open', state: 'claimed' })
    t.same(await value.movements(other), [])
  })

  await t.test('a code claimed by 64 members at once goes to exactly one', async (t) => {
    const code = aCode()
    await put([code])
    const members = await Promise.all(Array.from({ length: 64 }, () => value.enrol()))
    const replies = await Promise.all(members.map((member) => claim(member, code)))
    t.equal(replies.filter(({ kind }) => kind === 'done').length, 1)
    t.equal(replies.filter(({ kind }) => kind === 'code_not_open').length, 63)
    const sums = await Promise.all(members.map((member) => value.sums(member, currencyId)))
    t.equal(
      sums.reduce((sum, { available }) => sum + available, 0),
      5,
    )
  })

  await t.test('an import is stored whole or names the first code that is there; two at once agree', async (t) => {
    const codes = Array.from({ length: 200 }, aCode)
    t.same(await put(codes), { kind: 'done' })
    t.same(await put([aCode(), codes[7]!, codes[3]!]), { kind: 'already_imported', places: [1, 2] })
    const shared = Array.from({ length: 200 }, aCode)
    const replies = await Promise.all([put(shared), put([...shared].reverse())])
    t.same(replies.map(({ kind }) => kind).sort(), ['already_imported', 'done'])
    t.same(await put([aCode()], { currencyId: 'no-such' }), { kind: 'unknown_currency' })
    t.same(await put([aCode()], { expiresAt: ledger.clock() - 60_000 }), { kind: 'past_expiry' })
  })

  await t.test('no table has a code as text', async (t) => {
    const code = aCode()
    await put([code])
    const member = await value.enrol()
    await claim(member, code)
    const rows = await database.run<{ text: string }>(
      sql`
        select r::text as text from reward_code r union all select a::text from audit_record a
        union all select m::text from movement m union all select o::text from change_request o`,
      { effect: 'reads', withinMs: 10_000 },
    )
    const forms = [code, Buffer.from(code).toString('hex')]
    t.ok(rows.length > 0)
    t.notOk(rows.some(({ text }) => forms.some((form) => text.includes(form))))
  })

  await t.test('a void code and an expired one give nothing; a claimed one cannot be ended', async (t) => {
    const [member, ended, late, claimed] = [await value.enrol(), aCode(), aCode(), aCode()]
    await put([ended, claimed])
    await put([late], { expiresAt: ledger.clock() + day })
    for (const times of [1, 2])
      t.same(await ledger.rewards.voidCode(aValueCommand(), ended), { kind: 'done' }, String(times))
    t.same(await claim(member, ended), { kind: 'code_not_open', state: 'void' })
    await expireCodes(database, currencyId)
    t.same(await claim(member, late), { kind: 'code_not_open', state: 'expired' })
    t.same(await claim(member, claimed), done)
    t.same(await ledger.rewards.voidCode(aValueCommand(), claimed), { kind: 'code_not_open', state: 'claimed' })
    t.same(await ledger.rewards.voidCode(aValueCommand(), aCode()), { kind: 'unknown_code' })
    const { records } = await ledger.audit.list({ kind: 'codes', id: currencyId }, { after: null, limit: 1 })
    t.match(records, [{ actor: 'test', before: '{"amount" : 5, "state" : "open"}' }], 'a second end is no change')
  })

  await t.test('a code that does not fit stays open and is no wrong code', async (t) => {
    const [member, code] = [await value.enrol(), aCode()]
    await put([code])
    await value.adjust(member, currencyId, most - 4)
    for (let times = 0; times <= wrongCodesMax; times += 1) t.same(await claim(member, code), { kind: 'out_of_range' })
    await value.adjust(member, currencyId, -1)
    t.same(await claim(member, code), done)
    await expireLots(database, member, 60_000)
  })
}

async function wrongCodePromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const currencyId = await value.currency()
  const claim = (memberId: string, code: string) =>
    ledger.rewards.claim(aValueCommand(), { member: { memberId }, code })

  /** Makes the member's wrong codes older. */
  const age = (memberId: string, seconds: number) =>
    database.run(
      sql`update wrong_code set at = at - ${seconds}::integer * interval '1 second' where member_id = ${memberId}`,
      terms,
    )

  async function aGoodCode(): Promise<string> {
    const code = aCode()
    await ledger.rewards.importCodes(aValueCommand(), { codes: [code], currencyId, amount: 5, expiresAt: null })
    return code
  }

  await t.test(
    'the eleventh of an hour is refused, and a right one with it, until the first is an hour old',
    async (t) => {
      const [member, other, code] = [await value.enrol(), await value.enrol(), await aGoodCode()]
      t.same(await claim(member, aCode()), { kind: 'unknown_code' })
      await age(member, 1_800)
      for (let times = 1; times < wrongCodesMax; times += 1)
        t.same(await claim(member, aCode()), { kind: 'unknown_code' }, String(times))
      for (const each of [aCode(), code]) {
        const reply = await claim(member, each)
        t.match(reply, { kind: 'too_many_wrong_codes' })
        if (reply.kind === 'too_many_wrong_codes')
          t.ok(reply.retryAfterMs > 1_700_000 && reply.retryAfterMs <= 1_800_000)
      }
      t.same(await claim(other, aCode()), { kind: 'unknown_code' }, 'another member may')
      await age(member, 1_790)
      t.match(await claim(member, code), { kind: 'too_many_wrong_codes' })
      await age(member, 11)
      t.same(await claim(member, aCode()), { kind: 'unknown_code' }, 'the hour slides: one has left it')
      t.match(await claim(member, code), { kind: 'too_many_wrong_codes' })
      await age(member, 3_600)
      t.match(await claim(member, code), { kind: 'done' })
    },
  )

  await t.test('64 wrong codes of a member at once do not pass the limit together', async (t) => {
    const member = await value.enrol()
    const replies = await Promise.all(Array.from({ length: 64 }, () => claim(member, aCode())))
    t.equal(replies.filter(({ kind }) => kind === 'unknown_code').length, wrongCodesMax)
    t.equal(replies.filter(({ kind }) => kind === 'too_many_wrong_codes').length, 64 - wrongCodesMax)
  })

  await t.test('a blocked member claims no code, which stays open', async (t) => {
    const [memberId, code] = [await value.enrol(), await aGoodCode()]
    await ledger.members.block(aValueCommand(), memberId, true)
    t.match(await claim(memberId, code), { kind: 'blocked_member' })
    await ledger.members.block(aValueCommand(), memberId, false)
    t.match(await claim(memberId, code), { kind: 'done' })
  })

  await t.test('a repeat of a wrong request is answered as before and not counted', async (t) => {
    const member = { memberId: await value.enrol() }
    const [command, code] = [aValueCommand(), aCode()]
    for (let times = 0; times < 2 * wrongCodesMax; times += 1)
      t.same(await ledger.rewards.claim(command, { member, code }), { kind: 'unknown_code' })
    t.match(await claim(member.memberId, await aGoodCode()), { kind: 'done' })
  })

  await t.test('forgetting a member removes its wrong codes, and the code that it claimed stays claimed', async (t) => {
    t.same(await claim('nobody', await aGoodCode()), { kind: 'unknown_member' })
    const [member, code] = [await value.enrol(), await aGoodCode()]
    await claim(member, aCode())
    await claim(member, code)
    t.equal(await wrongCodesOf(database, member), 1)
    await ledger.members.forget(aValueCommand(), member, [])
    t.equal(await wrongCodesOf(database, member), 0)
    t.same(
      await claim(await value.enrol(), code),
      { kind: 'code_not_open', state: 'claimed' },
      'its code stays claimed',
    )
  })
}

async function wrongCodesOf(database: Sql, memberId: string): Promise<number> {
  const [row] = await database.run<{ count: number }>(
    sql`select count(*) as count from wrong_code where member_id = ${memberId}`,
    { effect: 'reads', withinMs: 10_000 },
  )
  return row!.count
}

async function expireCodes(database: Sql, currencyId: string): Promise<void> {
  await database.run(
    sql`
      update reward_code set expires_at = clock_timestamp()
      where currency_id = ${currencyId} and expires_at < 'infinity'`,
    terms,
  )
}
