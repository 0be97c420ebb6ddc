import t from 'tap'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { aBenefit, aProgramme, aVenue, type JsonObject } from './a-programme.js'

const words = ['flag_without_effect', 'threshold_on_all', 'measure_of_pieces']

function warned(reward: JsonObject, conditions: JsonObject = {}, venues = [aVenue()]): [string, string][] {
  const read = readProgramme(JSON.stringify({ ...aProgramme(aBenefit({ reward, conditions })), venues }))
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
  return read.warnings.filter(({ word }) => words.includes(word)).map(({ word, path }) => [word, path])
}

const included = { includeNoDiscount: true }
const tenth: JsonObject = { kind: 'line_percentage', percentage: 10 }

t.test('includeNoDiscount is named where it has no effect', async (t) => {
  const at = 'benefits[0].reward'
  t.same(warned({ ...tenth, select: included }), [['flag_without_effect', `${at}.select.includeNoDiscount`]])
  const get = { quantity: 1, percentage: 100, select: included }
  t.same(warned({ kind: 'buy_get', buy: { quantity: 1, select: included }, get }), [
    ['flag_without_effect', `${at}.get.select.includeNoDiscount`],
  ])
  t.same(warned({ kind: 'volume_percentage', tiers: [{ quantity: 1, percentage: 1 }], select: included }), [])
  t.same(warned({ ...tenth, select: { not: included } }), [])
  t.same(warned(tenth, { minimumSpend: { amount: 1, select: included } }), [])
})

t.test('a threshold on all goods is named if the reward is on some', async (t) => {
  const some = { ...tenth, select: { productIds: ['p-1'] } }
  const conditions: JsonObject = {
    minimumSpend: { amount: 1 },
    requires: [{ quantity: 1, select: {} }, { quantity: 1 }],
  }
  t.same(warned(some, conditions), [
    ['threshold_on_all', 'benefits[0].conditions.minimumSpend'],
    ['threshold_on_all', 'benefits[0].conditions.requires[1]'],
  ])
  t.same(warned(tenth, conditions), [])
  t.same(warned(some, { minimumSpend: { amount: 1, select: {} } }), [])
})

t.test('measure is named if a price list sells the goods by the piece', async (t) => {
  const products: JsonObject[] = [
    { productId: 'cheese', name: 'Cheese, per kg', unitPrice: 18_000, productGroupId: 'weighed' },
    { productId: 'label', name: 'Ham, by its label', unitPrice: 20_000, ean: '2300000000000', productGroupId: 'label' },
    { productId: 'jar', name: 'Jar', unitPrice: 3_000, ean: '7038010000012', productGroupId: 'jars' },
  ]
  const requires = (...productGroupIds: string[]) => ({
    requires: [{ quantity: 1.5, measure: true, select: { productGroupIds } }],
  })
  const venues = [aVenue({ products })]
  const path = 'benefits[0].conditions.requires[0].measure'
  t.same(warned(tenth, requires('weighed', 'label', 'jars'), venues), [['measure_of_pieces', path]])
  t.same(warned(tenth, requires('weighed', 'label'), venues), [])
  const tiers = [{ quantity: 0.5, percentage: 10 }]
  const volume = (more: JsonObject) => ({
    kind: 'volume_percentage',
    tiers,
    select: { eans: ['7038010000012'] },
    ...more,
  })
  t.same(warned(volume({ measure: true }), {}, venues), [['measure_of_pieces', 'benefits[0].reward.measure']])
})
