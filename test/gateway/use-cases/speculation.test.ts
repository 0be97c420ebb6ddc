import t from 'tap'
import { counterKey } from '../../../engine/core/base/outcome.js'
import type { BasketFacts, PricingFacts } from '../../../engine/index.js'
import type { ReadBasket } from '../../../gateway/use-cases/check-basket.js'
import { createSpeculation, pricedAhead } from '../../../gateway/use-cases/speculation.js'
import { StoreFault } from '../../../store/fault.js'

const member = { memberId: 'anna', tier: null, segments: [] }
const venue = { venueId: 'venue-1' }
const venueFacts = { venueId: 'venue-1', currency: 'EUR', timeZone: 'UTC', products: [] }
const want = { limitId: 'weekly', subject: 'anna', period: '', units: 1, maximum: 3 }
const body = Buffer.from('{"context":{"venueId":"venue-1"},"loyaltyId":"LOY-1"}')
const facts = { programmeVersion: 1, member }
const basket = { supersedesCalculationId: null, venueId: 'venue-1' } as BasketFacts

function aSpeculation() {
  const state = { used: 3, fault: null as StoreFault | null }
  const speculation = createSpeculation({
    ledger: {
      counters: {
        async lookUp() {
          if (state.fault !== null) throw state.fault
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

t.test('a counter seen exhausted stops the guess, and is asked for before pricing while it is exhausted', async (t) => {
  const { state, speculation } = aSpeculation()
  t.same(await speculation.leftOfExhausted(basket, facts), {}, 'nothing was seen')
  speculation.noteShort(1, [want], { [counterKey(want)]: 0 })
  t.equal(await speculation.guess(body), null)
  t.same(await speculation.leftOfExhausted(basket, facts), { [counterKey(want)]: 0 })
  t.same(await speculation.leftOfExhausted({ ...basket, supersedesCalculationId: 'c-1' }, facts), {}, 'one that frees')
  state.used = 2
  t.same(await speculation.leftOfExhausted(basket, facts), { [counterKey(want)]: 1 })
  t.not(await speculation.guess(body), null, 'units are left again')
})

t.test('what is left as wanted is not remembered, and a ledger out of reach stops nothing', async (t) => {
  const { state, speculation } = aSpeculation()
  speculation.noteShort(1, [want], { [counterKey(want)]: 1 })
  t.not(await speculation.guess(body), null)
  speculation.noteShort(1, [want], { [counterKey(want)]: 0 })
  state.fault = new StoreFault('ledger', 'unreachable')
  t.same(await speculation.leftOfExhausted(basket, facts), {})
})

t.test('what was priced while it was read counts only with the same facts', async (t) => {
  const priced = {}
  const read = { ahead: priced } as unknown as ReadBasket
  const now: PricingFacts = { ...facts, venue: venueFacts, available: {} }
  const guess = { loyaltyId: 'LOY-1', venueId: 'venue-1', facts: now }
  t.equal(pricedAhead(read, guess, now), priced)
  t.equal(pricedAhead(read, null, now), null)
  t.equal(pricedAhead(read, guess, { ...now, programmeVersion: 2 }), null)
  t.equal(pricedAhead(read, guess, { ...now, member: { ...member } }), null)
  t.equal(pricedAhead(read, guess, { ...now, venue: { ...venueFacts } }), null)
  t.equal(pricedAhead(read, guess, { ...now, available: { weekly: 0 } }), null)
})
