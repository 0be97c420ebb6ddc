import t from 'tap'
import { hideIds, idsIn } from '../../../engine/programme/hide-ids.js'

const hidden = { memberIds: ['m-1', '1001'], loyaltyIds: ['+47 99'] }
const name = /forgotten-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

t.test('a text that is not JSON loses ids in strings, with escapes, in comments and half written', (t) => {
  const text = String.raw`{ // for m-1 (+47 99), not m-10 or m-1-b
  /* "m\u002d1", 1001 */ "worth": 1001, "memberIds": ["\u006d-1", "1001", m-1"], "text": "m-1, too`
  const left = `{ // for X (X), not m-10 or m-1-b
  /* "X", X */ "worth": 1001, "memberIds": ["X", "X", X"], "text": "X, too`
  t.equal(hideIds({ text }, hidden).text.replaceAll(name, 'X'), left)
  const { memberIds, loyaltyIds } = idsIn(text)
  for (const id of hidden.memberIds) t.ok(memberIds.includes(id), id)
  t.ok(idsIn('// "+47 99"').loyaltyIds.includes('+47 99'))
  t.same(memberIds, loyaltyIds)
  t.end()
})

t.test('ids in JSON are those of members and audiences', (t) => {
  const audience = { memberIds: ['m-1', 5] }
  const earning = [{ ruleId: 'x', audience, multipliers: [{ audience: { memberIds: ['m-2'] } }] }]
  const members = [{ memberId: 'm-3', loyaltyIds: ['card'] }, {}]
  t.same(idsIn(JSON.stringify({ benefits: [{ benefitId: 'b', audience }], earning, members })), {
    ...{ memberIds: ['m-1', 'm-1', 'm-2', 'm-3'], loyaltyIds: ['card'] },
  })
  t.end()
})

t.test('texts of one seed get the same names, and each id another', (t) => {
  const text = JSON.stringify({ members: hidden.memberIds.map((memberId) => ({ memberId })) })
  const one = hideIds({ text }, hidden, 'seed').text
  t.equal(hideIds({ text }, hidden, 'seed').text, one)
  t.not(hideIds({ text }, hidden, 'other').text, one)
  t.not(hideIds({ text }, hidden).text, hideIds({ text }, hidden).text)
  t.equal(new Set(one.match(name)).size, 2)
  t.end()
})
