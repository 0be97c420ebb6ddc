import t from 'tap'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { aBenefit, aProgramme, aVenue, changed, type JsonObject } from './a-programme.js'
import { rich } from './rich-programme.js'

function pathsOf(document: JsonObject): string[] {
  return faultsOf(JSON.stringify(document)).map((fault) => fault.path)
}

function faultsOf(text: string) {
  const read = readProgramme(text)
  return read.kind === 'faulty' ? read.faults : []
}

t.test('limits in units are for rewards on units', (t) => {
  const limits = [{ limitId: 'l-2', scope: 'everyone', period: 'ever', counts: 'units', maximum: 5 }]
  const limited = (position: number) => pathsOf(changed(rich, `benefits[${position}].limits`, limits))
  for (const onUnits of [1, 2, 3, 4, 5, 6, 9]) t.same(limited(onUnits), [], `benefits[${onUnits}]`)
  for (const onOrder of [7, 8]) t.same(limited(onOrder), [`benefits[${onOrder}].limits[0].counts`])
  const perLine = aBenefit({ limits, reward: { kind: 'line_amount', amount: 5, per: 'line' } })
  const stackable = aBenefit({ limits, combination: 'stackable' })
  t.same(pathsOf(aProgramme(perLine)), ['benefits[0].limits[0].counts'])
  t.same(pathsOf(aProgramme(stackable)), ['benefits[0].limits[0].counts'])
  t.same(pathsOf(changed(aProgramme(stackable), 'benefits[0].limits[0].counts', 'baskets')), [])
  t.end()
})

t.test('a maximum of units is for normal and exclusive rewards on units', (t) => {
  const percentage = { kind: 'line_percentage', percentage: 5, maximumUnits: 6 }
  const amount = (per: string) => ({ kind: 'line_amount', amount: 5, per, maximumUnits: 6 })
  const at = (fields: JsonObject) => pathsOf(aProgramme(aBenefit(fields)))
  for (const reward of [percentage, amount('unit')]) t.same(at({ reward, combination: 'exclusive' }), [])
  for (const reward of [percentage, amount('unit')])
    t.same(at({ reward, combination: 'stackable' }), ['benefits[0].reward.maximumUnits'])
  t.same(at({ reward: amount('line') }), ['benefits[0].reward.maximumUnits'])
  t.end()
})

t.test('limits in money are for discounts, but not for stackable ones', (t) => {
  const limits = [{ limitId: 'l-2', scope: 'everyone', period: 'ever', counts: 'amount', maximum: 9007199254740991 }]
  const limited = (position: number) => pathsOf(changed(rich, `benefits[${position}].limits`, limits))
  for (const discount of [1, 2, 4, 5, 6, 7, 8]) t.same(limited(discount), [], `benefits[${discount}]`)
  for (const other of [3, 9]) t.same(limited(other), [`benefits[${other}].limits[0].counts`])
  const perLine = aBenefit({ limits, reward: { kind: 'line_amount', amount: 5, per: 'line' } })
  t.same(pathsOf(aProgramme(perLine)), [])
  t.same(pathsOf(aProgramme({ ...perLine, combination: 'stackable' })), ['benefits[0].limits[0].counts'])
  t.end()
})

t.test('a benefit with a limit in money is open at venues of one currency', (t) => {
  const limits = ['units', 'amount'].map((counts, at) => {
    return { limitId: `l-${at}`, scope: 'venue', period: 'day', counts, maximum: 5 }
  })
  const venues = [aVenue(), aVenue({ venueId: 'v-2', baxIds: ['200'], currency: 'SEK' })]
  const open = (fields: JsonObject) =>
    faultsOf(JSON.stringify({ ...aProgramme(aBenefit({ limits, ...fields })), venues }))
  const [fault, ...others] = open({})
  t.same(others, [])
  t.same(fault, {
    path: 'benefits[0].limits[1].counts',
    expected: 'no amount, since the benefit is open at venues of several currencies (NOK, SEK)',
    received: '"amount"',
  })
  t.same(open({ enabled: false }), [fault], 'also where it is not enabled')
  t.same(open({ venueIds: ['v-2'] }), [])
  t.same(open({ venueIds: ['v-2', 'elsewhere'] }), [])
  t.same(open({ venueIds: ['v-1', 'v-2'] }), [fault])
  t.end()
})
