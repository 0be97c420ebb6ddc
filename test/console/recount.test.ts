import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { aSale, type BasketBody } from '../e2e/basket.js'
import { Dice } from '../support/dice.js'
import { until } from '../support/until.js'
import { aConsole } from './a-console.js'
import { drawn, sampleProgramme } from './a-shop.js'

t.setTimeout(400_000)

const baskets = 150
/** Sums by key: sales, minor units paid, given by benefits, and reported otherwise. */
type Sums = Map<string, { sales: number; paid: number; given: number; apart: number }>

/** A programme whose mugs have a lower price, and whose chocolate is added, in every basket that allows it. */
function openProgramme(): BasketBody {
  const programme = sampleProgramme()
  for (const benefit of programme['benefits']) {
    if (benefit.benefitId !== 'mug-19' && benefit.benefitId !== 'free-chocolate') continue
    delete benefit.audience
    delete benefit.limits
  }
  return programme
}

/** Given on a receipt: all its lines at their full price, less the POS's own discounts and the total. */
function givenOn({ lines, totals, orderDiscounts = [] }: BasketBody, sent: BasketBody): number {
  const full = lines.reduce((sum: number, line: BasketBody) => sum + line['quantity'] * line['unitPrice'], 0)
  const ofPos = sent['lines'].reduce((sum: number, line: BasketBody) => sum + line['totals'].lineDiscount, 0)
  t.ok(Array.isArray(orderDiscounts))
  return full - ofPos - totals.net
}

/** Given by each benefit on a receipt, by the text that it prints; a lower price and an added line print none. */
function givenByText({ lines, orderDiscounts = [] }: BasketBody): Map<string, number> {
  const given = new Map<string, number>()
  const more = (text: string, amount: number) => given.set(text, (given.get(text) ?? 0) + amount)
  for (const { text, amount } of orderDiscounts) more(text, amount)
  for (const { discounts = [], quantity, unitPrice, overrideUnitPrice, addedByLoyalty } of lines) {
    for (const { text, amount } of discounts) more(text, amount)
    if (overrideUnitPrice == null) continue
    more(addedByLoyalty ? 'Chocolate on the house' : 'Travel mug 19.90', quantity * (unitPrice - overrideUnitPrice))
  }
  return given
}

/** The uses of each benefit, by its text and currency. */
type Uses = Map<string, { uses: number; given: number; paid: number }>

/** Discounts with an amount on the receipt: a lower price is none. */
function discountsOn({ lines, orderDiscounts = [] }: BasketBody): number {
  const all = [...lines.flatMap((line: BasketBody) => line['discounts'] ?? []), ...orderDiscounts]
  return all.reduce((sum: number, { amount }: BasketBody) => sum + amount, 0)
}

function add(sums: Sums, key: string, more: Partial<{ sales: number; paid: number; given: number; apart: number }>) {
  const { sales = 0, paid = 0, given = 0, apart = 0 } = more
  const row = sums.get(key) ?? { sales: 0, paid: 0, given: 0, apart: 0 }
  sums.set(key, {
    ...{ sales: row.sales + sales, paid: row.paid + paid },
    ...{ given: row.given + given, apart: row.apart + apart },
  })
}

function sumsOf(rows: readonly BasketBody[] = [], keyOf: (row: BasketBody) => string): Sums {
  const sums: Sums = new Map()
  for (const row of rows) {
    const [sales, paid, given, apart] = ['sales', 'paid', 'discount', 'apart'].map((name) => Number(row[name] ?? 0))
    add(sums, keyOf(row), { sales: sales!, paid: paid!, given: given!, apart: apart! })
  }
  return sums
}

const sorted = (sums: Sums) => [...sums].sort(([left], [right]) => (left < right ? -1 : 1))

t.test('Today, reports, lists and receipts say what the raw sales add up to', async (t) => {
  const programme = openProgramme()
  const console = await aConsole(t, { programme: JSON.stringify(programme) })
  if (console === null) return
  const { service } = console
  const { call, go, page } = await console.as('admin')
  const dice = new Dice(3)
  const [totals, venues]: [Sums, Sums] = [new Map(), new Map()]
  const given = new Map<string, number>()
  const reached = new Set<string>()
  const uses: Uses = new Map()
  const usesOf = new Map<string, Map<string, number>>()
  const whole: { readonly calculationId: string; readonly paid: number; readonly currency: string }[] = []
  let lowered = 0
  let added = 0
  for (let at = 0; at < baskets; at += 1) {
    const sent = drawn(programme, dice)
    const { currency } = sent
    const isUnknown = dice.chance(0.05)
    const body = isUnknown ? null : (await service.send('/v1/pos/basket', JSON.stringify(sent))).json
    const isApplied = body?.status === 'applied'
    const after = isApplied ? body.basket : sent
    if (dice.chance(0.1)) continue
    const wrong = dice.chance(0.15) ? dice.between(-3, 3) : 0
    const discounts = isApplied ? discountsOn(after) : 0
    const status = body?.status ?? 'applied'
    const paidTotal = after.totals.net - wrong
    // A sum of discounts is never below 0.
    const reported = status === 'applied' ? Math.max(0, discounts + wrong) : 0
    const sale = aSale(sent, { status, paidTotal, loyaltyDiscountTotal: reported, transactionId: randomUUID() })
    t.equal((await service.send('/v1/pos/sale', JSON.stringify(sale))).status, 200)
    const own = isApplied ? givenOn(after, sent) : 0
    const sums = { sales: 1, paid: paidTotal, given: own, apart: reported - discounts }
    add(totals, currency, sums)
    add(venues, `${sent['context'].venueId}/${currency}`, sums)
    if (!isApplied) continue
    given.set(sent['calculationId'], own)
    lowered += after.lines.filter((line: BasketBody) => line['overrideUnitPrice'] != null).length
    added += after.lines.filter((line: BasketBody) => line['addedByLoyalty']).length
    const member = programme['members'].find(({ loyaltyIds }: BasketBody) => loyaltyIds.includes(sent['loyaltyId']))
    // The test member has no entry in the programme.
    const memberId: string = member?.memberId ?? sent['loyaltyId']
    reached.add(memberId)
    const byText = givenByText(after)
    t.equal(
      [...byText.values()].reduce((sum, amount) => sum + amount, 0),
      own,
      'each øre has its benefit',
    )
    for (const [name, amount] of byText) {
      const row = uses.get(`${name}/${currency}`) ?? { uses: 0, given: 0, paid: 0 }
      uses.set(`${name}/${currency}`, { uses: row.uses + 1, given: row.given + amount, paid: row.paid + paidTotal })
      const members = usesOf.get(name) ?? new Map<string, number>()
      usesOf.set(name, members.set(memberId, (members.get(memberId) ?? 0) + 1))
    }
    if (wrong === 0 && paidTotal > 0) whole.push({ calculationId: sent['calculationId'], paid: paidTotal, currency })
  }
  t.ok(totals.size === 2 && lowered > 0 && added > 0 && reached.size > 1, `${lowered} lowered, ${added} added`)

  const day = new Date().toISOString().slice(0, 10)
  const days = { fromDay: plusDays(day, -1), untilDay: plusDays(day, 1) }
  const report = (by: readonly string[] = []) =>
    call('ReportService/ReportSums', { ...days, by: by.map((key) => `SUMS_BY_${key}`) }) as Promise<BasketBody>
  const byCurrency = ({ currency }: BasketBody) => currency
  const byVenue = ({ venueId, currency }: BasketBody) => `${venueId}/${currency}`
  t.same(sorted(sumsOf((await report())['sales'], byCurrency)), sorted(totals), 'headline')
  t.same(sorted(sumsOf((await report(['VENUE']))['sales'], byVenue)), sorted(venues), 'by venue')
  t.same(sorted(sumsOf((await report(['DAY']))['sales'], byCurrency)), sorted(totals), 'by day')
  const givenBy = (rows: readonly BasketBody[]) => [...sumsOf(rows, byCurrency)].map(([key, row]) => [key, row.given])
  const wanted = [...totals].map(([key, row]) => [key, row.given])
  t.same(givenBy((await report(['BENEFIT']))['benefits']).sort(), wanted.sort(), 'by benefit')
  t.same(givenBy((await report(['BENEFIT', 'VENUE', 'DAY']))['benefits']).sort(), wanted.sort(), 'by everything')

  // Returns are in no sum. The sale has them.
  const returned = whole.slice(0, 8)
  for (const { calculationId } of returned) {
    const { lines } = (await call('ReturnService/GetLadder', { calculationId })) as BasketBody
    const all = lines.map(({ lineId, quantityThousandths }: BasketBody) => ({ lineId, quantityThousandths }))
    const how = { requestId: randomUUID(), occurredAt: new Date().toISOString(), reference: 'all', reason: 'all' }
    await call('ReturnService/RecordReturn', { ...how, calculationId, lines: all })
  }
  const refunds = new Map(returned.map(({ calculationId, paid }) => [calculationId, paid]))
  t.same(sorted(sumsOf((await report())['sales'], byCurrency)), sorted(totals), 'headline after returns')

  const sales = await call('SaleService/ListSales', { pageSize: 500 })
  const listed = (sales['sales'] as BasketBody[]).map((sale) => [
    sale['calculationId'],
    Number(sale['givenTotal'] ?? 0),
  ])
  const refunded = (sales['sales'] as BasketBody[]).map((sale) => [
    sale['calculationId'],
    Number(sale['refundTotal'] ?? 0),
  ])
  t.same(new Map(refunded.filter(([, refund]) => refund !== 0) as [string, number][]), refunds, 'refunds of each sale')
  const asListed = listed.filter(([id]) => given.has(id as string))
  t.same(new Map(asListed as [string, number][]), given, 'each sale in the list')
  for (const [calculationId, own] of given) {
    const { calculation } = (await call('CalculationService/GetCalculation', { calculationId })) as BasketBody
    t.equal(Number(calculation.givenTotal ?? 0), own, calculationId)
  }

  // Members are counted with the sums, some seconds later.
  const untilMs = performance.now() + 60_000
  let members = 0
  while (members !== reached.size && performance.now() < untilMs) {
    members = Number((await report())['reach']?.[0]?.members ?? 0)
    await sleep(500)
  }
  t.equal(members, reached.size, 'members, each once')
  t.same(sorted(sumsOf((await report())['sales'], byCurrency)), sorted(totals), 'once summed')

  const benefits = new Map(programme['benefits'].map((each: BasketBody) => [each['text'], each['benefitId']]))
  const nameOf = ({ benefitId }: BasketBody) =>
    benefitId === 'member-cappuccino'
      ? 'Member price'
      : (programme['benefits'].find((each: BasketBody) => each['benefitId'] === benefitId)?.text ?? 'Test member')
  const summed = ((await report(['BENEFIT']))['benefits'] as BasketBody[])
    .filter(({ redemptions }) => redemptions !== undefined)
    .map((row) => {
      const [used, off, paid] = ['redemptions', 'discount', 'paid'].map((name) => Number(row[name] ?? 0))
      return [`${nameOf(row)}/${row['currency']}`, { uses: used, given: off, paid }] as const
    })
  const isKnown = ([key]: readonly [string, unknown]) => benefits.has(key.split('/')[0])
  t.same(new Map(summed.filter(isKnown)), new Map([...uses].filter(isKnown)), 'uses and money of each benefit')
  for (const [name, members] of [...usesOf].filter(isKnown)) {
    // The last sales are counted some seconds after the others.
    const ask = () => call('ReportService/ReportTopMembers', { benefitId: benefits.get(name) }) as Promise<BasketBody>
    const top = await until(ask, ({ others }) => others === undefined)
    const found = top['members'].map((row: BasketBody) => [row['memberId'], Number(row['redemptions'])])
    t.same(new Map(found), members, `who got ${name}`)
    t.equal(Number(top['others'] ?? 0), 0)
  }

  const text = (minor: number, currency: string) =>
    `${new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2 }).format(minor / 100)} ${currency}`
  for (const [path, more] of [
    ['/today', ''],
    [`/reports?from=${days.fromDay}&until=${days.untilDay}`, ' given by benefits'],
  ] as const) {
    await go(path)
    for (const [currency, { given: off, apart }] of totals) {
      await page
        .getByText(`${text(off, currency)}${more}`)
        .first()
        .waitFor()
      if (apart !== 0)
        await page
          .getByText(`${text(apart, currency).replace('-', '−')} reported otherwise`)
          .first()
          .waitFor()
    }
  }
  const [first] = returned
  await go(`/sales/${first!.calculationId}`)
  await page.getByText(`${text(first!.paid, first!.currency)} was refunded for returns since.`).waitFor()
  for (const name of ['Newsletter 5 % on top', 'Travel mug 19.90']) {
    await go(`/benefits/${benefits.get(name)}`)
    for (const [key, row] of [...uses].filter(([each]) => each.startsWith(`${name}/`))) {
      const currency = key.split('/')[1]!
      await page.getByText(`${text(row.given, currency)} given, `).waitFor()
      await page.getByText(`${text(row.paid, currency)} paid.`).waitFor()
    }
    const [member, times] = [...usesOf.get(name)!].toSorted(([, left], [, right]) => right - left)[0]!
    const row = page.getByRole('row', { name: new RegExp(`^${member} ${times} `) })
    await row.waitFor()
  }
})

function plusDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10)
}
