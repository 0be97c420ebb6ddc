import t from 'tap'
import { readPriceList } from '../../../gateway/use-cases/read-price-list.js'
import type { StoredVenue } from '../../../store/ledger/venues.js'

const oslo: StoredVenue = {
  ...{ venueId: 'oslo', name: 'Oslo', environment: 'staging', currency: 'NOK', timeZone: 'Europe/Oslo' },
  baxIds: ['1'],
  products: [],
}
const bun = {
  ...{ productId: 'bun', name: 'Bun; "sweet"', unitPrice: 4500, productGroupId: 'bakery', productMasterId: null },
  ...{ ean: null, noDiscount: false, noPercentageDiscount: true },
}
const read = (text: string | Uint8Array, venue = oslo) =>
  readPriceList(typeof text === 'string' ? Buffer.from(text) : text, venue)

t.test('a file is read as spreadsheets save it', async (t) => {
  const head = 'productId;name;price;productGroupId;noPercentageDiscount'
  const row = 'bun;"Bun; ""sweet""";45,00;bakery;TRUE'
  const utf16 = Buffer.from(`\ufeff${head}\r\n${row}`, 'utf16le')
  const rows = [
    `${head}\n${row}`,
    `\ufeff${head}\r\n${row}\r\n`,
    `sep=;\r\n${head}\r\n${row}\r\n`,
    `${head.toUpperCase()}\r${row}\r;;;;\r`,
    'name,noPercentageDiscount,price,productId,productGroupId\n"Bun; ""sweet""",true,45,bun,bakery\n',
    'productId\tname\tprice\tproductGroupId\tnoPercentageDiscount\nbun\t"Bun; ""sweet"""\t45.0\tbakery\ttrue',
    utf16,
    Buffer.from(utf16).swap16(),
  ]
  for (const text of rows) t.same(read(text), { kind: 'read', products: [bun] }, JSON.stringify(String(text)))
})

t.test('a price has the decimals of its currency, and spaces between thousands', async (t) => {
  const price = (text: string, currency = 'NOK') => {
    const found = read(`productId;name;price\nx;x;${text}`, { ...oslo, currency })
    return found.kind === 'read' ? found.products[0]!.unitPrice : found.faults[0]!.expected
  }
  t.equal(price('52'), 5200)
  t.equal(price('52,5'), 5250)
  t.equal(price('0.05'), 5)
  t.equal(price('1 234,50'), 123_450)
  t.equal(price('1\u00a0234\u00a0567'), 123_456_700)
  t.equal(price('52', 'JPY'), 52)
  t.equal(price('1 990,50', 'HUF'), 199_050)
  for (const text of ['', '-1', '52,505', '1.234,50', '12 34', '5e3', 'free']) {
    t.equal(price(text), 'a price such as 52 or 52.50', text)
  }
  t.equal(price('52,5', 'JPY'), 'a whole number')
})

t.test('each fault names its row and column, what is expected and what came', async (t) => {
  const faultsOf = (text: string | Uint8Array) => {
    const found = read(text)
    return found.kind === 'read' ? [] : found.faults
  }
  t.same(faultsOf('productId;name;unitPrice\n'), [
    {
      ...{ row: 1, column: 'unitPrice', received: 'unitPrice' },
      expected:
        'a column of productId, name, price, productGroupId, productMasterId, ean, noDiscount, noPercentageDiscount',
    },
    { row: 1, column: 'price', expected: 'this column', received: 'nothing' },
  ])
  t.match(faultsOf('productId,name,price,name\n'), [{ row: 1, column: 'name', expected: 'every column once' }])
  t.match(faultsOf('productId,name,price,noDiscount\na,A,1,yes\n\nb,B\na,A,x,\n,B,1,\n'), [
    { row: 2, column: 'noDiscount', expected: 'true, false or nothing', received: 'yes' },
    { row: 4, column: '', expected: '4 fields', received: '2' },
    { row: 4, column: 'price', received: 'nothing' },
    { row: 5, column: 'price', received: 'x' },
    { row: 5, column: 'productId', received: '"a"' },
    { row: 6, column: 'productId', expected: /^1 to 64 characters/ },
  ])
  t.match(faultsOf(Buffer.from('productId,name,price\n\xe5,\xe5,1', 'latin1')), [{ row: 1, expected: /^UTF-8/ }])
  t.match(faultsOf('productId,name,price\na,"A,1\n'), [{ expected: 'fields of a CSV file' }])
  const many = Array.from({ length: 150 }, (_, at) => `p${at},P,free`)
  t.match(read(['productId,name,price', ...many].join('\n')), { kind: 'faulty', more: 50 })
  const tooMany = Array.from({ length: 10_001 }, (_, at) => `p${at},P,1`)
  t.match(faultsOf(['productId,name,price', ...tooMany].join('\n')), [
    { row: 10_002, expected: 'at most 10000 products' },
  ])
})
