import t from 'tap'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { aBenefit, aProgramme, type JsonObject } from './a-programme.js'

const words = ['flag_without_effect', 'threshold_on_all', 'measure_of_pieces']

function warned(reward: JsonObject, conditions: JsonObject = {}): [string, string][] {
  const read = readProgramme(JSON.stringify(aProgramme(aBenefit({ reward, conditions }))))
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

t.test('measure is named if a price list has the goods', async (t) => {
  const requires = (productId: string) => ({
    requires: [{ quantity: 1, measure: true, select: { productIds: [productId] } }],
  })
  t.same(warned(tenth, requires('p-1')), [['measure_of_pieces', 'benefits[0].conditions.requires[0].measure']])
  t.same(warned(tenth, requires('p-2')), [])
})
