import type { Fragment } from './edit-programme.js'

export interface Template {
  /** Its words are the messages `template` and `templateWhat`. */
  readonly name: string
  /** @param text  the printed text of the benefit */
  readonly fragment: (text: string) => Fragment
}

const off = { enabled: false } as const
const coupon = (benefitId: string, text: string, more: object): Fragment => ({
  benefits: [{ benefitId, text, ...off, ...more }],
})

/**
 * Beginnings of benefits. What a person has to decide (percentages, amounts, hours, goods, limits) is missing, so that the service finds a
 * fault there until it is filled in.
 */
export const templates: readonly Template[] = [
  {
    name: 'happyHour',
    fragment: (text) => coupon('happy-hour', text, { schedule: [{}], reward: { kind: 'line_percentage' } }),
  },
  {
    name: 'stampCard',
    fragment: (text) => ({
      currencies: [{ currencyId: 'stamps', name: text }],
      earning: [{ ruleId: 'stamps', currencyId: 'stamps', per: {} }],
      ...coupon('stamp-card', text, {
        reward: { kind: 'line_percentage', percentage: 100 },
        costs: { currencyId: 'stamps', per: 'unit' },
      }),
    }),
  },
  {
    name: 'birthday',
    fragment: (text) =>
      coupon('birthday', text, {
        audience: { birthday: {} },
        limits: [{ limitId: 'birthday', scope: 'member', period: 'birthday', counts: 'baskets' }],
        reward: { kind: 'order_percentage' },
      }),
  },
  {
    name: 'welcome',
    fragment: (text) =>
      coupon('welcome', text, { audience: { visits: { to: 0 } }, reward: { kind: 'order_percentage' } }),
  },
  {
    name: 'threshold',
    fragment: (text) =>
      coupon('threshold', text, { conditions: { minimumSpend: {} }, reward: { kind: 'order_amount' } }),
  },
  {
    name: 'menu',
    fragment: (text) => coupon('menu', text, { reward: { kind: 'bundle_price', components: [{}, {}] } }),
  },
  {
    name: 'cheapestFree',
    fragment: (text) =>
      coupon('cheapest-free', text, { reward: { kind: 'buy_get', buy: {}, get: { percentage: 100 } } }),
  },
  {
    name: 'giftLadder',
    fragment: (text) => ({
      benefits: ['first', 'second'].flatMap((step, at) => {
        const gift = { group: 'gift-ladder', conditions: { minimumSpend: {} }, reward: { kind: 'free_product' } }
        return coupon(`${step}-gift`, `${text} ${at + 1}`, gift).benefits
      }),
    }),
  },
  {
    name: 'winBack',
    fragment: (text) => coupon('win-back', text, { audience: { lastVisit: {} }, reward: { kind: 'order_percentage' } }),
  },
  {
    name: 'pointsAsMoney',
    fragment: (text) => ({
      currencies: [{ currencyId: 'points', name: text }],
      earning: [{ ruleId: 'points', currencyId: 'points', per: {} }],
      ...coupon('points-as-money', text, {
        reward: { kind: 'order_amount' },
        costs: { currencyId: 'points', per: 'times' },
      }),
    }),
  },
]
