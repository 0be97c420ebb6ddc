import t, { type Test } from 'tap'
import { createMemberHints, forgettingHints } from '../../../gateway/cache/member-hints.js'
import { StoreFault } from '../../../store/fault.js'
import type { NamedHints } from '../../../store/ledger/members.js'
import type { Ledger } from '../../../store/ledger.js'

const anna = { memberId: 'anna', tier: null, segments: [] }

/** Hints over a ledger that answers when the test lets it. */
function someHints(t: Test) {
  const asked: { readonly loyaltyId: string; answer(found: NamedHints | null): void; fail(error: Error): void }[] = []
  const hints = createMemberHints({
    members: {
      findHints: (loyaltyId) =>
        new Promise((answer, fail) => {
          asked.push({ loyaltyId, answer, fail })
        }),
    },
  })
  const clock = { nowMs: 1_000 }
  t.intercept(performance, 'now', { value: () => clock.nowMs })
  const balanceOf = async (loyaltyId = 'card-1') => (await hints.get(loyaltyId)).over(anna).balances?.['stamps']
  return { asked, hints, clock, balanceOf }
}

const stamps = (amount: number, memberId = 'anna'): NamedHints => ({
  memberId,
  balances: { stamps: amount },
  visits: 0,
  tier: null,
})

t.test('a hint is asked for once in two seconds, and is the same object meanwhile', async (t) => {
  const { asked, hints, clock } = someHints(t)
  const asking = [hints.get('card-1'), hints.get('card-1')]
  asked[0]!.answer(stamps(10))
  const [first, second] = (await Promise.all(asking)).map((hinted) => hinted.over(anna))
  t.same(first, { ...anna, balances: { stamps: 10 }, visits: 0 })
  t.equal(first, second)
  clock.nowMs += 1_999
  t.equal((await hints.get('card-1')).over(anna), first)
  t.not((await hints.get('card-1')).over({ ...anna }), first, 'other facts of the member make another object')
  clock.nowMs += 1
  void hints.get('card-1')
  t.equal(asked.length, 2)
})

t.test('a change of the member is followed at once, also by a question that was under way', async (t) => {
  const { asked, hints, balanceOf } = someHints(t)
  const before = balanceOf()
  hints.forget('anna')
  const behind = balanceOf()
  t.equal(asked.length, 2, 'nobody joins a question from before the change')
  asked[0]!.answer(stamps(10))
  asked[1]!.answer(stamps(0))
  t.same(await Promise.all([before, behind]), [10, 0])
  t.equal(await balanceOf(), 0)
  hints.forget('bertil')
  t.equal(await balanceOf(), 0, 'another member changes nothing')
  hints.forgetAll()
  const anew = balanceOf()
  asked[2]!.answer(stamps(4))
  t.equal(await anew, 4)
})

t.test('without the ledger a member has no balance, and the next basket asks again', async (t) => {
  const { asked, clock, balanceOf } = someHints(t)
  const lost = balanceOf()
  asked[0]!.fail(new StoreFault('ledger', 'unreachable'))
  t.equal(await lost, undefined)
  t.equal(await balanceOf(), undefined, 'the same basket does not wait twice')
  t.equal(asked.length, 1)
  clock.nowMs += 250
  const again = balanceOf()
  asked[1]!.answer(stamps(3))
  t.equal(await again, 3)
})

t.test('hints of another member, and a bug, are not taken for an answer', async (t) => {
  const { asked, balanceOf } = someHints(t)
  const other = balanceOf()
  asked[0]!.answer(stamps(10, 'bertil'))
  t.equal(await other, undefined)
  const bug = t.rejects(balanceOf('card-2'), { message: 'a bug' })
  asked[1]!.fail(new Error('a bug'))
  await bug
  const next = balanceOf('card-2')
  asked[2]!.answer(null)
  t.equal(await next, undefined, 'nobody has this card')
})

t.test('a call that changes value forgets all hints, one that reads does not', async (t) => {
  let forgotten = 0
  const calls = { adjust: async () => 'done', findAccounts: async () => [] }
  const returns = { record: async () => 'done', list: async () => [] }
  const rewards = { claim: async () => 'done' }
  const ledger = forgettingHints({ value: calls, rewards, returns } as unknown as Ledger, {
    forgetHints() {
      forgotten += 1
    },
  })
  await ledger.value.findAccounts('anna')
  t.equal(forgotten, 0)
  t.equal(await (ledger.value as unknown as typeof calls).adjust(), 'done')
  await ledger.rewards.claim({} as never, {} as never)
  await ledger.returns.list({} as never, {} as never)
  t.equal(forgotten, 2)
  await ledger.returns.record({} as never, {} as never)
  t.equal(forgotten, 3)
})
