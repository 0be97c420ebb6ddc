import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import postgres from 'postgres'
import t from 'tap'
import type { BasketBody } from '../e2e/basket.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { until } from '../support/until.js'
import { aConsole, aMouse, type SignedIn } from './a-console.js'
import { sampleProgramme } from './a-shop.js'
import { beganBeforeMs, Shop, type Sold, sum } from './two-weeks.js'

t.setTimeout(900_000)

const dayMs = 86_400_000
const testMember = 'TEST-20-PERCENT'

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

function plusDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10)
}

interface Figures {
  readonly rows: readonly Sold[]
  readonly sales: number
  readonly paid: number
  readonly given: number
  readonly apart: number
}

/** @param text  counts the uses of this benefit alone */
function figuresOf(sold: readonly Sold[], text?: string): Figures {
  const rows = text === undefined ? sold : sold.filter(({ given }) => given.has(text))
  const givenIn = ({ given }: Sold) => (text === undefined ? sum(given.values()) : given.get(text)!)
  return {
    ...{ rows, sales: rows.length, given: sum(rows.map(givenIn)) },
    ...{ paid: sum(rows.map(({ paid }) => paid)), apart: sum(rows.map(({ apart }) => apart)) },
  }
}

const dayFormat = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
const dayText = (day: string) =>
  new Intl.DateTimeFormat('en-GB', { ...dayFormat, timeZone: 'UTC' }).format(Date.parse(day))
const money = (minor: number) => new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2 }).format(minor / 100)
const share = ({ given, paid }: Figures) => {
  const part = given + paid === 0 ? 0 : given / (given + paid)
  const maximumFractionDigits = part > 0 && part < 0.01 ? 1 : 0
  return new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits }).format(part)
}
const perSale = ({ given, sales }: Figures) => money(Math.floor((2 * given + sales) / (2 * sales)))
const change = (now: number, before: number) =>
  before === 0
    ? ''
    : new Intl.NumberFormat('en-GB', { style: 'percent', signDisplay: 'exceptZero' }).format(now / before - 1)
const sales = ({ sales: count }: Figures) => `${count} ${count === 1 ? 'sale' : 'sales'}`
const apartText = ({ apart }: Figures, currency: string) =>
  apart === 0 ? '' : ` ${money(apart).replace('-', '−')} ${currency} reported otherwise by POSs: in no row below.`

type Row = Readonly<Record<string, string>>

/** The rows of a table of the screen, by the heads of its columns; a currency in a head is one of the row. */
async function tableOf(page: Page, label: string): Promise<readonly Row[]> {
  const table = page.locator(`section[aria-label="${label}"] table`).first()
  const heads = await table.locator('thead tr > *').allTextContents()
  const rows = await table.locator('tbody tr').all()
  const cells = await Promise.all(rows.map((row) => row.locator('td').allTextContents()))
  const cellsOf = (head: string, cell: string) => {
    const [, name, currency] = /^(.*), ([A-Z]{3})$/.exec(head) ?? [head, head]
    return [...(head === '' ? [] : [[name, cell]]), ...(currency === undefined ? [] : [['Currency', currency]])]
  }
  return cells.map((row) => Object.fromEntries(heads.flatMap((head, at) => cellsOf(head, row[at]!))))
}

/** A table, once it has these rows, in whatever order. */
async function sameTable(page: Page, label: string, wanted: readonly Row[]): Promise<void> {
  const sorted = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(Object.entries(row).toSorted())).toSorted()
  await page.locator(`section[aria-label="${label}"] table`).first().waitFor()
  const found = await until(
    () => tableOf(page, label),
    (rows) => isDeepStrictEqual(sorted(rows), sorted(wanted)),
  )
  assert.deepEqual(sorted(found), sorted(wanted), `${page.url()}: ${label}`)
}

/** The lines of the first sentence, once they are these. */
async function sameLines(page: Page, wanted: readonly string[]): Promise<void> {
  const lines = page.getByRole('main').getByRole('status').locator('p')
  const found = await until(
    () => lines.allTextContents(),
    (texts) => wanted.every((text) => texts.some((each) => each.trim() === text)),
  )
  for (const text of wanted) assert.ok(found.map((each) => each.trim()).includes(text), `${text} in ${found.join(' ')}`)
}

type Cells = (figures: Figures, key: string) => Row

/** Rows by a key and the currency. */
function rowsBy(sold: readonly Sold[], keyOf: (each: Sold) => string, cells: Cells, text?: string): readonly Row[] {
  const groups = new Map<string, Sold[]>()
  for (const each of figuresOf(sold, text).rows) {
    const key = JSON.stringify([keyOf(each), each.currency])
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return [...groups].map(([key, own]) => {
    const [name, Currency]: [string, string] = JSON.parse(key)
    return { ...cells(figuresOf(own, text), name), Currency }
  })
}

const ofDay = ({ day }: Sold) => day
const within = (sold: readonly Sold[], { from, until }: Days) => sold.filter(({ day }) => day >= from && day <= until)
const inCurrency = (sold: readonly Sold[], currency: string) => sold.filter((each) => each.currency === currency)
const currenciesOf = (sold: readonly Sold[]) => [...new Set(sold.map(({ currency }) => currency))]
const textsOf = (sold: readonly Sold[]) => [...new Set(sold.flatMap(({ given }) => [...given.keys()]))]
const appliedIn = ({ rows }: Figures) => rows.filter(({ status }) => status === 'applied').length
/** Those who got a benefit, each once. */
const membersOf = (sold: readonly Sold[], text?: string) => {
  const got = sold.filter(({ given }) => (text === undefined ? given.size > 0 : given.has(text)))
  return new Set(got.map(({ memberId }) => memberId)).size
}

interface Days {
  readonly from: string
  readonly until: string
}

/** Screens, and what they must say. */
class Screens {
  constructor(
    private readonly signedIn: Pick<SignedIn, 'page' | 'go'>,
    private readonly sold: readonly Sold[],
    private readonly programme: BasketBody,
  ) {}

  readonly #venue = ({ venueId }: Sold): string =>
    this.programme['venues'].find((venue: BasketBody) => venue['venueId'] === venueId).name

  /** A benefit with this text on the receipt, and its name on the screen; the test member's has none. */
  #benefit(text: string): { readonly benefitId: string; readonly text: string } {
    const isIt = (each: BasketBody) =>
      text === 'Member price' ? each['benefitId'] === 'member-cappuccino' : each['text'] === text
    return this.programme['benefits'].find(isIt) ?? { benefitId: testMember, text: testMember }
  }

  async today(dayOf: (venueId: string) => string, nowMs: number): Promise<void> {
    const { page, go } = this.signedIn
    const disagreeing = this.sold.filter((each) => each.isDisagreeing && each.soldMs > nowMs - dayMs).length
    const sold = this.sold.filter(({ venueId, day }) => day === dayOf(venueId))
    assert.equal(currenciesOf(sold).length, 2, 'today has both currencies')
    await go('/today')
    await page.getByRole('link', { name: `${disagreeing} sales disagree with what was answered` }).waitFor()
    for (const currency of currenciesOf(sold)) {
      const own = inCurrency(sold, currency)
      const all = figuresOf(own)
      const lead = `${money(all.given)} ${currency}, ${share(all)} of what it would have cost, off ${appliedIn(all)} of ${sales(all)}.`
      await page.getByText(`${lead}${apartText(all, currency)}`).waitFor()
      const cells = (name: object, count: number, given: number) =>
        ({ ...name, Sales: String(count), Discount: money(given), Currency: currency }) as Row
      const benefits = textsOf(own).map((text) => {
        const figures = figuresOf(own, text)
        return cells({ Benefit: this.#benefit(text).text }, figures.sales, figures.given)
      })
      // Ten are shown.
      assert.ok(benefits.length <= 10, `${benefits.length} benefits today`)
      await sameTable(page, `By benefit, ${currency}`, benefits)
      const venues = [...new Set(own.map(this.#venue))].map((venue) => {
        const figures = figuresOf(own.filter((each) => this.#venue(each) === venue))
        return cells({ Venue: venue }, appliedIn(figures), figures.given)
      })
      await sameTable(page, `By venue, ${currency}`, venues)
    }
  }

  async reports(days: Days): Promise<void> {
    const { go } = this.signedIn
    await go(`/reports?from=${days.from}&until=${days.until}`)
    await this.#sameReport(days)
  }

  /** Reads last week's cost of each benefit and saves it, as one who has just signed in; returns the clicks. */
  async lastWeek(today: string): Promise<number> {
    const { page, go } = this.signedIn
    const sunday = plusDays(today, -(new Date(today).getUTCDay() || 7))
    const days = { from: plusDays(sunday, -6), until: sunday }
    await go('/today')
    const mouse = aMouse()
    await mouse.click(page.getByRole('link', { name: 'Reports' }))
    await mouse.click(page.getByRole('button', { name: 'Last week' }))
    await this.#sameReport(days)
    const downloading = page.waitForEvent('download')
    await mouse.click(page.getByRole('button', { name: 'Save as CSV: By benefit', exact: true }))
    const saved = readFileSync(await (await downloading).path(), 'utf8')
    for (const text of textsOf(within(this.sold, days)))
      assert.match(saved, new RegExp(`${this.#benefit(text).benefitId}`))
    return mouse.clicks
  }

  async #sameReport(days: Days): Promise<void> {
    const { page } = this.signedIn
    const count = (Date.parse(days.until) - Date.parse(days.from)) / dayMs + 1
    const sold = within(this.sold, days)
    const before = within(this.sold, { from: plusDays(days.from, -count), until: plusDays(days.from, -1) })
    const leads = currenciesOf(sold).map((currency) => {
      const [now, then] = [figuresOf(inCurrency(sold, currency)), figuresOf(inCurrency(before, currency))]
      const lead = `${sales(now)}, ${appliedIn(now)} with benefits: ${money(now.paid)} ${currency} paid, ${money(now.given)} ${currency} given by benefits, ${share(now)} of what it would have cost.`
      const changes = `discounts ${change(now.given, then.given)}, sales ${change(now.sales, then.sales)}, paid ${change(now.paid, then.paid)}.`
      const against =
        then.sales === 0
          ? `Nothing was sold in the ${count} days before.`
          : `Against the ${count} days before: ${changes}`
      return `${lead} ${against}${apartText(now, currency)}`
    })
    await sameLines(page, [...leads, `${membersOf(sold)} members got a benefit.`])
    const countOf = ({ rows }: Figures, holds: (each: Sold) => boolean) => String(rows.filter(holds).length)
    const bySale: Cells = (figures) => ({
      ...{ Sales: String(figures.sales), 'Of members': countOf(figures, ({ isOfMember }) => isOfMember) },
      ...{ 'With benefits': String(appliedIn(figures)), Failed: countOf(figures, ({ status }) => status === 'failed') },
      ...{ Discount: money(figures.given), Share: share(figures), Paid: money(figures.paid) },
    })
    await sameTable(
      page,
      'By venue',
      rowsBy(sold, this.#venue, (figures, Venue) => ({ Venue, ...bySale(figures, '') })),
    )
    await sameTable(
      page,
      'By day',
      rowsBy(sold, ofDay, (figures, day) => ({ Day: dayText(day), ...bySale(figures, '') })),
    )
    const benefits = textsOf(sold).flatMap((text) => {
      const [first] = figuresOf(sold, text)
        .rows.map(({ currency }) => currency)
        .toSorted()
      return rowsBy(
        sold,
        ({ currency }) => currency,
        (figures, currency) => {
          const then = figuresOf(inCurrency(before, currency), text).given
          return {
            ...{ Name: this.#benefit(text).text, Baskets: String(figures.sales), Redeemed: String(figures.sales) },
            'Members, each once': currency === first ? String(membersOf(sold, text)) : '–',
            ...{ Discount: money(figures.given), 'Against before': change(figures.given, then) || 'new' },
            ...{ 'Per sale': perSale(figures), Share: share(figures), Paid: money(figures.paid) },
          }
        },
        text,
      )
    })
    await sameTable(page, 'By benefit', benefits)
    for (const currency of currenciesOf(sold)) await this.#matrix(inCurrency(sold, currency), currency)
  }

  /** Compares the sums that members hold of each currency, in its smallest unit. */
  async liability(wanted: readonly { readonly Currency?: string; readonly held?: number }[]): Promise<void> {
    const label = 'What members hold now'
    const { page, go } = this.signedIn
    await go('/reports')
    await page.locator(`section[aria-label="${label}"] table`).waitFor()
    const found: Record<string, number> = {}
    for (const { Currency, Amount } of await tableOf(page, label))
      found[Currency!] = (found[Currency!] ?? 0) + Number(Amount!.replace(/\D/g, ''))
    assert.deepEqual(found, Object.fromEntries(wanted.map(({ Currency, held }) => [Currency, held])), label)
  }

  async #matrix(sold: readonly Sold[], currency: string): Promise<void> {
    const venues = [...new Set(sold.map(this.#venue))].filter(
      (venue) => figuresOf(sold.filter((each) => this.#venue(each) === venue)).given !== 0,
    )
    const row = (Name: string, text?: string) => {
      const given = (rows: readonly Sold[]) => figuresOf(rows, text).given
      const cells = venues.map((venue) => [venue, given(sold.filter((each) => this.#venue(each) === venue))] as const)
      const shown = [...cells, ['All', given(sold)] as const].map(([head, amount]) => [
        head,
        amount === 0 ? '–' : money(amount),
      ])
      return { Name, ...Object.fromEntries(shown) }
    }
    const rows = [...textsOf(sold).map((text) => row(this.#benefit(text).text, text)), row('All')]
    await sameTable(this.signedIn.page, `Benefits by venue, ${currency}`, rows)
  }

  async benefit(text: string, days: Days): Promise<void> {
    const { page, go } = this.signedIn
    const sold = within(this.sold, days)
    await go(`/benefits/${this.#benefit(text).benefitId}?from=${days.from}&until=${days.until}`)
    const leads = currenciesOf(figuresOf(sold, text).rows).map((currency) => {
      const figures = figuresOf(inCurrency(sold, currency), text)
      const [given, paid] = [figures.given, figures.paid].map((minor) => `${money(minor)} ${currency}`)
      const times = figures.sales === 1 ? 'once' : `${figures.sales} times`
      const baskets = `${figures.sales} ${figures.sales === 1 ? 'basket' : 'baskets'} with a sale`
      return `Redeemed ${times} in ${baskets}: ${given} given, ${perSale(figures)} ${currency} per sale, ${paid} paid.`
    })
    const reached = membersOf(sold, text)
    await sameLines(page, [...leads, `${reached} ${reached === 1 ? 'member' : 'members'} got it, each counted once.`])
    const cells: Cells = (figures) => ({
      ...{ Redeemed: String(figures.sales), Discount: money(figures.given) },
      ...{ 'Per sale': perSale(figures), Paid: money(figures.paid) },
    })
    await sameTable(
      page,
      'By venue',
      rowsBy(sold, this.#venue, (figures, Venue) => ({ Venue, ...cells(figures, '') }), text),
    )
    await sameTable(
      page,
      'By day',
      rowsBy(sold, ofDay, (figures, day) => ({ Day: dayText(day), ...cells(figures, '') }), text),
    )
    const members = new Map<string, readonly Sold[]>()
    for (const each of figuresOf(this.sold, text).rows)
      members.set(each.memberId, [...(members.get(each.memberId) ?? []), each])
    const top = [...members].map(([Member, rows]) => ({
      ...{ Member, Redeemed: String(rows.length), 'Last day': dayText(rows.map(ofDay).toSorted().at(-1)!) },
    }))
    await sameTable(page, 'Who got it most', top)
  }
}

t.test('Today, Reports and each benefit’s page say what the raw sales of two weeks add up to', async (t) => {
  const server = await startPostgres({ clockSteps: 'server' })
  t.teardown(() => server.stop())
  const lastMs = Math.floor(Date.now() / dayMs) * dayMs + 12.5 * 3_600_000
  const DATABASE_URL = await server.createDatabase()
  await server.setClock(lastMs - beganBeforeMs - Date.now())
  const programme = openProgramme()
  const console = await aConsole(t, { programme: JSON.stringify(programme), env: { DATABASE_URL } })
  if (console === null) return
  const sql = postgres(DATABASE_URL, { max: 1 })
  t.teardown(() => sql.end())
  const { call, page } = await console.as('admin')
  await page.close()
  const shop = new Shop(console.service, call, programme, (aheadMs) => server.setClock(aheadMs))
  await shop.sellUntil(lastMs)
  const { sold, counts } = shop
  t.ok(
    Object.values(counts).every((count) => count > 0),
    JSON.stringify({ ...counts, sold: sold.length }),
  )

  // Returns are in no sum. The sale has them.
  const returned = sold.filter(({ isExact, given, paid }) => isExact && given.size > 0 && paid > 0).slice(-8)
  for (const { calculationId } of returned) {
    const { lines } = (await call('ReturnService/GetLadder', { calculationId })) as BasketBody
    const all = lines.map(({ lineId, quantityThousandths }: BasketBody) => ({ lineId, quantityThousandths }))
    const how = { requestId: randomUUID(), reference: 'all', reason: 'all' }
    const occurredAt = new Date(shop.nowMs).toISOString()
    await call('ReturnService/RecordReturn', { ...how, occurredAt, calculationId, lines: all })
  }
  const listed = ((await call('SaleService/ListSales', { pageSize: 500 })) as BasketBody)['sales'] as BasketBody[]
  const inList = (name: string) =>
    new Map(
      listed
        .map((sale) => [sale['calculationId'], Number(sale[name] ?? 0)] as const)
        .filter(([, amount]) => amount !== 0),
    )
  t.same(inList('refundTotal'), new Map(returned.map(({ calculationId, paid }) => [calculationId, paid])), 'refunds')
  const given = new Map(sold.map((each) => [each.calculationId, figuresOf([each]).given]))
  t.same(inList('givenTotal'), new Map([...given].filter(([, amount]) => amount !== 0)), 'each sale in the list')
  for (const { calculationId } of sold.filter((each) => each.given.size > 0)) {
    const { calculation } = (await call('CalculationService/GetCalculation', { calculationId })) as BasketBody
    t.equal(Number(calculation.givenTotal ?? 0), given.get(calculationId), calculationId)
  }

  // Members are counted with the sums, some seconds later.
  const unsummed = () => sql`select calculation_id from unsummed_sales('infinity', 1)`
  t.equal((await until(unsummed, ({ length }) => length === 0)).length, 0, 'every sale is summed')
  const signedIn = await console.as('admin')
  const screens = new Screens(signedIn, sold, programme)
  const soldOn = sold.map(ofDay).toSorted()
  const all: Days = { from: soldOn[0]!, until: soldOn.at(-1)! }
  await screens.today((venueId) => shop.dayAt(venueId), shop.nowMs)
  await screens.reports(all)
  await screens.reports({ ...all, from: plusDays(all.until, -6) })
  // Each entry of an account, however its lots were spent and expire since.
  await screens.liability(
    await sql`
      select c.name as "Currency", sum(e.held)::float8 as held from (
        select a.currency_id, greatest(0, sum(n.amount)) as held from account a join entry n using (account_id)
        group by a.account_id, a.currency_id
      ) e join value_currency c using (currency_id) group by c.name`,
  )
  const clicks = await screens.lastWeek(new Date(lastMs).toISOString().slice(0, 10))
  t.ok(clicks <= 4, `last week is seen and saved in ${clicks} clicks`)
  for (const text of textsOf(sold)) await screens.benefit(text, all)
  const [{ calculationId, paid, currency }] = returned as [Sold]
  await signedIn.go(`/sales/${calculationId}`)
  await signedIn.page.getByText(`${money(paid)} ${currency} was refunded for returns since.`).waitFor()
})
