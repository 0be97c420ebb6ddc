import t from 'tap'
import { load } from './load.js'

interface Line {
  readonly lineId: string
}
interface Baskets {
  readRequest(json: string | undefined): object | null
  readAnswer(json: string | undefined): object | null
  groupLines(receipts: readonly object[]): readonly { readonly lineId: string; readonly lines: readonly Line[][] }[]
}
const { readRequest, readAnswer, groupLines } = await load<Baskets>('areas/calculations/read-basket.ts')

const line = (lineId: string, more: object = {}) => ({
  ...{ lineId, productId: `product-${lineId}`, quantity: 1 },
  totals: { gross: 100, lineDiscount: 0, orderDiscount: 0, net: 100 },
  ...more,
})
const basket = (...lines: object[]) => ({ lines, totals: { gross: 100, lineDiscount: 0, orderDiscount: 0, net: 100 } })

t.test('each line stands beside what it became: split parts with their line, added lines last', (t) => {
  const before = readRequest(JSON.stringify(basket(line('1'), line('2'))))!
  const answer = basket(
    line('1'),
    line('1b', { splitFromLineId: '1' }),
    line('gift', { addedByLoyalty: true }),
    line('2'),
  )
  const after = readAnswer(JSON.stringify({ status: 'applied', basket: answer }))!
  const ids = (receipts: readonly object[]) =>
    groupLines(receipts).map(({ lines }) => lines.map((own) => own.map(({ lineId }) => lineId)))
  t.same(ids([before, after]), [
    [['1'], ['1', '1b']],
    [['2'], ['2']],
    [[], ['gift']],
  ])
  const other = readAnswer(
    JSON.stringify({ basket: basket(line('1c', { splitFromLineId: '1' }), line('1'), line('2')) }),
  )!
  t.same(
    ids([before, after, other])[0],
    [['1'], ['1', '1b'], ['1c', '1']],
    'parts of one line stay together on every receipt',
  )
  t.end()
})

t.test('an answer without a basket, and a body that is no longer stored, is no receipt', (t) => {
  t.equal(readAnswer('{"status":"unchanged","reason":"no_benefits"}'), null)
  t.equal(readAnswer('{"status":"applied","basket":null}'), null)
  t.equal(readAnswer(undefined), null)
  t.equal(readRequest(undefined), null)
  t.end()
})
