import t from 'tap'
import type { ScheduleWindow } from '../../engine/core/base/programme.js'
import { generateCase } from './generate-case.js'
import { counterOf, openBenefits } from './open-benefits.js'
import type { PricingCase } from './pricing-case.js'

function at(moment: string, timeZone: string): PricingCase['input'] {
  const { input } = generateCase(1)
  return { ...input, basket: { ...input.basket, requestedAt: Date.parse(moment) }, venue: { ...input.venue, timeZone } }
}

function isOpen(schedule: readonly ScheduleWindow[], input: PricingCase['input']): boolean {
  const plain = { validFrom: null, validUntil: null, venueIds: null, channels: null, audience: null, limits: [] }
  return openBenefits([{ ...generateCase(1).benefits[0]!, ...plain, schedule }], input).length === 1
}

const clock = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
const window = (day: ScheduleWindow['days'][number], from: string, until: string): ScheduleWindow[] => [
  { days: [day], from: clock(from), until: clock(until) },
]

const schedules = [
  {
    title: 'until is exclusive',
    schedule: window('sat', '10:00', '11:00'),
    moment: '2026-11-21T11:00:00+01:00',
    open: false,
  },
  {
    title: 'from is inclusive',
    schedule: window('sat', '10:00', '11:00'),
    moment: '2026-11-21T10:00:00+01:00',
    open: true,
  },
  {
    title: 'a window past midnight goes on the next day',
    schedule: window('fri', '22:00', '02:00'),
    moment: '2026-11-21T01:59:59+01:00',
    open: true,
  },
  {
    title: 'and ends there',
    schedule: window('fri', '22:00', '02:00'),
    moment: '2026-11-21T02:00:00+01:00',
    open: false,
  },
  {
    title: 'it has not begun in the morning of its day',
    schedule: window('fri', '22:00', '02:00'),
    moment: '2026-11-20T01:00:00+01:00',
    open: false,
  },
  {
    title: 'equal ends last 24 hours',
    schedule: window('fri', '06:00', '06:00'),
    moment: '2026-11-21T05:59:00+01:00',
    open: true,
  },
  {
    title: 'the hour that comes twice is open twice',
    schedule: window('sun', '02:00', '03:00'),
    moment: '2026-10-25T02:30:00+01:00',
    open: true,
  },
  {
    title: 'the first time too',
    schedule: window('sun', '02:00', '03:00'),
    moment: '2026-10-25T02:30:00+02:00',
    open: true,
  },
  {
    title: 'the hour that is left out never comes',
    schedule: window('sun', '02:00', '03:00'),
    moment: '2026-03-29T03:00:00+02:00',
    open: false,
  },
]

for (const { title, schedule, moment, open } of schedules) {
  t.test(`of schedules, ${title}`, async (t) => {
    t.equal(isOpen(schedule, at(moment, 'Europe/Oslo')), open)
  })
}

const periods = [
  { period: 'day', moment: '2026-12-31T23:30:00Z', name: '2027-01-01' },
  { period: 'month', moment: '2026-12-31T23:30:00Z', name: '2027-01' },
  { period: 'week', moment: '2026-12-31T23:30:00Z', name: '2026-W53' },
  { period: 'week', moment: '2027-01-03T22:59:00Z', name: '2026-W53' },
  { period: 'week', moment: '2027-01-03T23:00:00Z', name: '2027-W01' },
  { period: 'week', moment: '2026-11-21T12:00:00Z', name: '2026-W47' },
  { period: 'ever', moment: '2026-11-21T12:00:00Z', name: '' },
] as const

for (const { period, moment, name } of periods) {
  t.test(`${moment} in Oslo lies in the ${period} '${name}'`, async (t) => {
    const limit = { limitId: 'l', scope: 'everyone', period, counts: 'baskets', maximum: 1 } as const
    t.equal(counterOf(limit, at(moment, 'Europe/Oslo')).period, name)
  })
}
