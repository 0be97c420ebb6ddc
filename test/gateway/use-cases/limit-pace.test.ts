import t from 'tap'
import type { LimitOfBenefit } from '../../../engine/index.js'
import { createLasting } from '../../../gateway/use-cases/limit-pace.js'
import type { StoredVenue } from '../../../store/ledger/venues.js'

const hourMs = 3_600_000
const now = Date.parse('2026-11-21T10:00:00Z')
const zones = { oslo: 'Europe/Oslo', tokyo: 'Asia/Tokyo' }
const limit: LimitOfBenefit = {
  ...{ limitId: 'l', scope: 'everyone', period: 'day', counts: 'baskets', maximum: 100 },
  venueIds: ['oslo'],
}
const counter = { subject: '', period: '2026-11-21', taken: 40, hour: null, day: null, week: null }
const ago = (hours: number, taken: number) => ({ since: now - hours * hourMs, taken })

const lastingOf = createLasting(
  {
    adminLedger: { venues: { times: async () => Object.values(zones).map((timeZone) => ({ timeZone })) } },
    facts: {
      findVenue: async (venueId) => {
        const timeZone = zones[venueId as keyof typeof zones]
        return timeZone === undefined ? null : ({ timeZone } as StoredVenue)
      },
    },
  },
  now,
)

t.test('a counter lasts until its period ends, unless what was taken lately empties it before', async (t) => {
  const midnight = Date.parse('2026-11-21T23:00:00Z')
  t.same(await lastingOf(limit, counter), { periodEnd: midnight, runsOut: null }, 'its pace is not known')
  const rows = [
    [{ hour: ago(1, 30) }, 2],
    [{ hour: ago(0.5, 30) }, 1],
    [{ hour: ago(1, 6), day: ago(24, 288) }, 5],
    [{ hour: ago(1, 6), week: ago(168, 1_008) }, 10],
    [{ hour: ago(1, 6) }, 10],
    [{ hour: ago(1, 0), day: ago(4, 40) }, 6],
    [{ hour: ago(1, 2) }, null],
    [{ hour: ago(0.01, 5) }, null],
  ] as const
  for (const [paces, hours] of rows) {
    const expected = hours === null ? null : now + hours * hourMs
    t.equal((await lastingOf(limit, { ...counter, ...paces }))?.runsOut, expected, JSON.stringify(paces))
  }
  t.equal((await lastingOf(limit, { ...counter, taken: 100, hour: ago(1, 30) }))?.runsOut, null, 'nothing is left')
  const own: LimitOfBenefit = { ...limit, scope: 'member' }
  t.equal((await lastingOf(own, { ...counter, hour: ago(1, 30) }))?.runsOut, null, "a member's own")
})

t.test('a period counts where its limit does: at a venue, at those of its benefit, else anywhere', async (t) => {
  const tomorrow = { ...counter, period: '2026-11-22' }
  t.equal(await lastingOf(limit, tomorrow), null)
  const later = createLasting(
    {
      adminLedger: { venues: { times: async () => Object.values(zones).map((timeZone) => ({ timeZone })) } },
      facts: { findVenue: async () => ({ timeZone: 'Asia/Tokyo' }) as StoredVenue },
    },
    Date.parse('2026-11-21T16:00:00Z'),
  )
  const atVenue: LimitOfBenefit = { ...limit, scope: 'venue', venueIds: null }
  t.equal((await later(atVenue, { ...tomorrow, subject: 'tokyo' }))?.periodEnd, Date.parse('2026-11-22T15:00:00Z'))
  const everywhere: LimitOfBenefit = { ...limit, venueIds: null }
  t.equal((await later(everywhere, tomorrow))?.periodEnd, Date.parse('2026-11-22T15:00:00Z'))
  t.equal((await later(everywhere, counter))?.periodEnd, Date.parse('2026-11-21T23:00:00Z'))
  const ever: LimitOfBenefit = { ...limit, period: 'ever' }
  t.same(await lastingOf(ever, { ...counter, period: '', day: ago(24, 24) }), {
    periodEnd: null,
    runsOut: now + 60 * hourMs,
  })
  const slow = { ...counter, period: '', day: ago(24, 2), week: ago(168, 42) }
  t.equal((await lastingOf(ever, slow))?.runsOut, now + 240 * hourMs, 'by the week')
})
