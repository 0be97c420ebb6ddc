import t from 'tap'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { aBenefit, aProgramme } from './a-programme.js'

const currencies = ['stamps', 'coffees'].map((currencyId) => ({ currencyId, name: currencyId }))
const anExchange = (more: object = {}) => ({
  ...{ exchangeId: 'ten', from: { currencyId: 'stamps', amount: 10 }, to: { currencyId: 'coffees', amount: 1 } },
  ...more,
})

function faultsOf(...exchanges: readonly object[]): readonly string[] {
  const read = readProgramme(JSON.stringify({ ...aProgramme(aBenefit({})), currencies, exchanges }))
  return read.kind === 'read' ? [] : read.faults.map(({ path, expected }) => `${path}: ${expected}`)
}

t.test('an exchange is read with its defaults, in both directions', async (t) => {
  const back = anExchange({ exchangeId: 'back', from: anExchange().to, to: anExchange().from, validDays: 7 })
  const document = { ...aProgramme(aBenefit({})), currencies, exchanges: [anExchange(), back] }
  t.match(readProgramme(JSON.stringify(document)), {
    programme: {
      exchanges: [
        { ...anExchange(), validDays: null },
        { ...back, validDays: 7 },
      ],
    },
  })
})

t.test('every fault of an exchange is named by its path', async (t) => {
  const coins = { currencyId: 'coins', amount: 1 }
  const wrong: readonly (readonly [readonly object[], string])[] = [
    [
      [anExchange(), anExchange()],
      'exchanges[1].exchangeId: a exchangeId of its own: exchanges[0].exchangeId has it already',
    ],
    [[anExchange({ from: coins })], 'exchanges[0].from.currencyId: the currencyId of one of the currencies'],
    [[anExchange({ to: coins })], 'exchanges[0].to.currencyId: the currencyId of one of the currencies'],
    [[anExchange({ to: anExchange().from })], 'exchanges[0].to.currencyId: another currency than in from'],
    [
      [anExchange(), anExchange({ exchangeId: 'x' })],
      'exchanges[1].to.currencyId: a currency that no exchange before gives for stamps',
    ],
    [[anExchange({ validDays: 0 })], 'exchanges[0].validDays: an integer from 1 to 36500'],
    [
      [anExchange({ from: { currencyId: 'stamps', amount: 0 } })],
      'exchanges[0].from.amount: an integer from 1 to 9007199254740991',
    ],
    [[anExchange({ days: 1 })], 'exchanges[0].days: no field of this name; known are exchangeId, from, to, validDays'],
  ]
  for (const [exchanges, fault] of wrong) t.ok(faultsOf(...exchanges).includes(fault), fault)
})
