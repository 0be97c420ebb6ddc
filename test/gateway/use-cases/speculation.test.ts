import t from 'tap'
import { counterKey } from '../../../engine/core/base/outcome.js'
import type { BasketFacts, PricingAhead, PricingFacts } from '../../../engine/index.js'
import type { ReadBasket } from '../../../gateway/use-cases/check-basket.js'
import {
  createSpeculation,
  type GuessedBasket,
  guessedMember,
  pricedAhead,
} from '../../../gateway/use-cases/speculation.js'
import { StoreFault } from '../../../store/fault.js'

const member = { memberId: 'anna', tier: null, segments: [] }
const venue = { venueId: 'venue-1' }
const venueFacts = { venueId: 'venue-1', currency: 'EUR', timeZone: 'UTC', products: [] }
const want = { limitId: 'weekly', subject: 'anna', period: '', units: 1, maximum: 3 }
const body = Buffer.from('{"context":{"venueId":"venue-1"},"loyaltyId":"LOY-1"}')
const facts = { programmeVersion: 1, member }
const basket = { supersedesCalculationId: null, venueId: 'venue-1' } as BasketFacts
const now: PricingFacts = { ...facts, venue: venueFacts, available: {} }

function aSpeculation() {
  const state = { used: 3, fault: null as StoreFault | null, asked: 0 }
  const speculation = createSpeculation({
    posLedger: {
      counters: {
        async lookUp() {
          if (state.fault !== null) throw state.fault
          state.asked += 1
          return [{ ...want, used: state.used, open: 0 }]
        },
      },
    },
    facts: {
      peek: async ({ venueId }) => (venueId === 'venue-1' ? ({ ...facts, venue } as never) : null),
      venueFacts: () => venueFacts,
    },
    discountCode: 'CODE',
    stepsMax: 1,
  })
  return { state, speculation }
}

t.test('member and venue that are known are guessed from the body', async (t) => {
  const { speculation } = aSpeculation()
  t.match(await speculation.guess(body), { loyaltyId: 'LOY-1', venueId: 'venue-1', facts: { ...facts, available: {} } })
  t.equal(await speculation.guess(Buffer.from('{}')), null, 'a body without them')
  t.equal(await speculation.guess(Buffer.from('{"loyaltyId":"LOY-1","venueId":"other"}')), null, 'an unknown venue')
})

/** A basket that was read and priced by a guess. */
function aBasket(guess: PricingAhead | null, bounded: boolean, facts: Partial<BasketFacts> = {}): GuessedBasket {
  return { read: { facts: { ...basket, ...facts }, ahead: { bounded } } as unknown as ReadBasket, guess }
}

t.test(
  'a counter seen exhausted counts so in the guess, and the ledger is asked where that made a difference',
  async (t) => {
    const { state, speculation } = aSpeculation()
    const exhausted = { [counterKey(want)]: 0 }
    const start = async (bounded: boolean, facts?: Partial<BasketFacts>) =>
      speculation.startOf(aBasket(await speculation.guess(body), bounded, facts), now)
    t.same(await start(false), { available: {}, wasShort: false }, 'nothing was seen')
    speculation.noteShort(1, [want], exhausted)
    t.match(await speculation.guess(body), { facts: { available: exhausted } })
    t.same(await start(false), { available: exhausted, wasShort: false }, 'the basket wants nothing of it')
    t.equal(state.asked, 0)
    t.same(await start(true), { available: exhausted, wasShort: true })
    t.same(await start(true, { supersedesCalculationId: 'c-1' }), { available: {}, wasShort: false }, 'one that frees')
    t.same(
      await speculation.startOf(aBasket(await speculation.guess(body), false), { ...now, member: { ...member } }),
      { available: exhausted, wasShort: true },
      'a guess that was wrong says nothing',
    )
    state.used = 2
    t.same(await start(true), { available: { [counterKey(want)]: 1 }, wasShort: true })
    t.match(await speculation.guess(body), { facts: { available: {} } }, 'units are left again')
  },
)

t.test('what is left as wanted is not remembered, and a ledger out of reach stops nothing', async (t) => {
  const { state, speculation } = aSpeculation()
  speculation.noteShort(1, [want], { [counterKey(want)]: 1 })
  t.same((await speculation.guess(body))!.facts.available, {})
  speculation.noteShort(1, [want], { [counterKey(want)]: 0 })
  state.fault = new StoreFault('ledger', 'unreachable')
  const bounded = aBasket(await speculation.guess(body), true)
  t.same(await speculation.startOf(bounded, now), { available: {}, wasShort: false })
})

t.test('a guessed member counts for the same loyalty id and programme', async (t) => {
  const { speculation } = aSpeculation()
  const guess = await speculation.guess(body)
  const memberOf = (guess: PricingAhead | null, loyaltyId: string | null, versionInForce = 1) =>
    guessedMember(aBasket(guess, false, { loyaltyId }), versionInForce)
  t.match(memberOf(guess, 'LOY-1'), facts)
  t.equal(memberOf(guess, 'LOY-2'), null)
  t.equal(memberOf(guess, 'LOY-1', 2), null)
  t.equal(memberOf(null, null), null, 'a basket without a member has no guess')
})

t.test('what was priced while it was read counts only with the same facts', async (t) => {
  const priced = {}
  const read = { ahead: priced } as unknown as ReadBasket
  const ahead = (facts: PricingFacts, available: PricingFacts['available'] = {}) =>
    pricedAhead({ read, guess: { loyaltyId: 'LOY-1', venueId: 'venue-1', facts: { ...now, available } } }, facts)
  t.equal(ahead(now), priced)
  t.equal(pricedAhead({ read, guess: null }, now), null)
  t.equal(ahead({ ...now, programmeVersion: 2 }), null)
  t.equal(ahead({ ...now, member: { ...member } }), null)
  t.equal(ahead({ ...now, venue: { ...venueFacts } }), null)
  t.equal(ahead({ ...now, available: { weekly: 0 } }), null)
  t.equal(ahead(now, { weekly: 0 }), null)
  t.equal(ahead({ ...now, available: { weekly: 1 } }, { weekly: 0 }), null)
  t.equal(ahead({ ...now, available: { weekly: 0 } }, { weekly: 0 }), priced)
})
