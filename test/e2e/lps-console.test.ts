import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { aBasket, aSale, type BasketBody } from './basket.js'
import { startService } from './service.js'

const main = join(import.meta.dirname, '..', '..', 'clients', 'lps', 'main.js')
const programmeFile = join(import.meta.dirname, '..', '..', '..', 'test', 'e2e', 'programme.json')
const folder = mkdtempSync(join(tmpdir(), 'lps-console-'))
t.teardown(() => rmSync(folder, { recursive: true }))
t.setTimeout(300_000)

const tokens = 'reader:r-token,support:s-token,marketing:m-token'
const service = await startService({
  env: { LOYALTY_DEADLINE_MS: '10000', LOYALTY_PROGRAM: programmeFile, LOYALTY_TOKENS: `${tokens},admin:a-token` },
})
t.teardown(() => service.stop())
writeFileSync(join(folder, 'tokens'), tokens.replaceAll(',', '\n'))

interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

function lps(...words: readonly string[]): Promise<Said> {
  return new Promise((resolve) => {
    const place = ['--internal', service.internalUrl, '--token-file', 'tokens']
    execFile(process.execPath, [main, ...words, ...place], { cwd: folder }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

function write(name: string, value: object): string {
  writeFileSync(join(folder, name), JSON.stringify(value))
  return name
}

const draft = (() => {
  const document = JSON.parse(readFileSync(programmeFile, 'utf8')) as BasketBody
  document['benefits'][0].reward.percentage = 20
  document['benefits'].splice(4, 1)
  return write('draft.json', document)
})()
const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).body()
const calculationId: string = basket['calculationId']

t.test('simulate prices a body as it is, and as if', async (t) => {
  const body = write('basket.json', basket)
  const now = await lps('simulate', body)
  t.equal(now.code, 0, now.err)
  t.match(now.out, /^applied by version 1, proven best\n4\.50 EUR before, 4\.05 EUR after\n/)
  t.match(now.out, /^ {2}coffee-10 +gives 0\.45 EUR on 1 x coffee/m)
  t.match(await lps('simulate', body, '--draft', draft), { out: /by a draft, .*\n4\.50 EUR before, 3\.60 EUR after/ })
  t.match(await lps('simulate', body, '--card', ''), { out: /^member_not_found by version 1/ })
  const json = await lps('simulate', body, '--version', '1', '--at', '2026-11-24T10:00:00Z', '--json')
  t.match(JSON.parse(json.out), {
    status: 'CALCULATION_STATUS_APPLIED',
    basket: { requestedAt: '2026-11-24T10:00:00Z' },
  })
  t.match(await lps('simulate', body, '--at', 'noon'), { code: 1, err: /body_json\.requestedAt: expected/ })
  t.match(await lps('simulate', body, '--version', '0'), { code: 2, err: /--version: expected a version/ })
  t.match(await lps('simulate', body, '--version', '1', '--draft', draft), { code: 2, err: /exclude each other/ })
})

t.test('list and report show what was calculated and sold', async (t) => {
  t.match(await lps('report'), { code: 1, out: '' })
  t.match(await lps('list'), { code: 1, out: '' })
  await service.send('/v1/pos/basket', JSON.stringify(basket))
  const sale = aSale(basket, { paidTotal: 405, loyaltyDiscountTotal: 45, receiptNumber: 4711 })
  await service.send('/v1/pos/sale', JSON.stringify(sale))
  for (const words of [
    ['--receipt', '4711'],
    ['--benefit', 'coffee-10'],
    ['--card', 'anna', '--status', 'applied'],
  ]) {
    const { code, out, err } = await lps('list', ...words)
    t.equal(code, 0, err)
    t.match(out, new RegExp(`\\n\\S+ +${calculationId} +venue-1 .*4\\.50 EUR +4\\.05 EUR +coffee-10\\n`))
  }
  t.match(await lps('list', '--receipt', '4712'), { code: 1 })
  t.match(await lps('list', '--receipt', 'x'), { code: 2, err: /--receipt: expected a number/ })
  t.match(await lps('list', '--max', '0'), { code: 2, err: /--max: expected/ })

  const { code, out } = await lps('report', '--by', 'venue,benefit')
  t.equal(code, 0)
  t.match(out, /\n +venue-1 +coffee-10 +1 +1 +0\.45 EUR +0\.45 EUR +10\.0 % +4\.05 EUR\n\n/)
  t.match(out, /\n +venue-1 +1 +1 +1 +0 +0 +4\.05 EUR +0\.45 EUR +10\.0 %\n$/)
  t.match(JSON.parse((await lps('report', '--by', '', '--json')).out), { benefits: [{ redemptions: '1' }] })
  const more = await lps('report', '--compare', '--without', 'coffee-10')
  t.equal(more.code, 0, more.err)
  t.match(more.out, /\ndiscounts +0\.45 EUR +0\.00 EUR\n/)
  t.match(more.out, /\nof 0\.45 EUR given by coffee-10 0\.45 EUR would not have been given without it \(100\.0 %\)\n1 /)
  t.match(await lps('report', '--without', 'no-such'), { code: 1, err: /without_benefit_id: expected a benefit/ })
  t.match(await lps('report', '--by', 'week'), { code: 2, err: /--by: expected benefit, venue, day/ })
  t.match(await lps('report', '--until', 'soon'), { code: 2, err: /--until: expected a day/ })
})

t.test('venue import stores a price list of a spreadsheet, or says what is wrong with it', async (t) => {
  const list = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return name
  }
  const file = list('prices.csv', '\ufeffproductId;name;price\r\ncoffee;Kaffe;4,50\r\nlatte;Latte;5\r\n')
  const place = ['--venue', 'venue-1', '--token', 'a-token']
  const tried = await lps('venue', 'import', file, '--venue', 'venue-1', '--dry-run')
  t.match(tried, { code: 0, out: /\nlatte +Latte +new +5\.00 EUR\n/, err: /^\d+ new, \d+ changed, \d+ removed/ })
  t.match(await lps('venue', 'import', file, ...place), { code: 0, out: tried.out, err: tried.err })
  t.match(await lps('venue', 'import', file, ...place), { code: 0, out: '', err: /^0 new, 0 changed, 0 removed, 2 as/ })
  const faulty = list('faulty.csv', 'productId;name;price\ncoffee;Kaffe;4,505\n')
  t.match(await lps('venue', 'import', faulty, ...place), {
    code: 1,
    err: /^row 2, price: expected a price such as 52 or 52\.50; received 4,505\nnothing is stored\n/,
  })
  t.match(await lps('venue', 'import', file), { code: 2, err: /--venue: expected/ })
  const calls = ['--call', 'VenueService/UpsertVenue', '--since', '1h']
  t.match(await lps('audit', '--by', 'admin-', ...calls), {
    code: 0,
    out: /VenueService\/UpsertVenue +venue +venue-1\n$/,
  })
  t.match(await lps('audit', '--by', 'support-', ...calls), { code: 1, out: '' })
  t.match(await lps('limits', '--shared'), { code: 0, out: '' })
})

t.test('diff, publish, rollback and audit: what changes, what changed, and back', async (t) => {
  const change = await lps('diff', draft)
  t.equal(change.code, 1)
  t.equal(
    change.out,
    '~ benefit changed coffee-10 (Coffee 10 %)\n    reward.percentage: 10 -> 20\n- benefit removed gold-order (Gold 5 %)\n',
  )
  t.match(change.err, /^2 parts differ from version 1/)
  t.match(await lps('publish', draft), {
    code: 0,
    err: /benefit_removed: publishing removes 1 .* Gold 5 % \(gold-order\)/,
  })
  t.match(await lps('diff', '--base', '1', '--version', '2'), { code: 1, out: change.out })
  t.match(await lps('rollback', '1', '--expect', '1'), { code: 1, err: /VERSION_MISMATCH/ })
  t.match(await lps('rollback', '1'), { code: 0, out: /^version 3 is published, with the benefits of version 1\n/ })
  t.match(await lps('diff', '--base', '1', '--version', '3'), { code: 0, err: /nothing differs from version 1/ })
  t.match(await lps('rollback', 'x'), { code: 2, err: /VERSION: expected a version/ })

  const records = await lps('audit', 'programme', '3')
  t.equal(records.code, 0, records.err)
  t.match(records.out, /\n\S+ +marketing-[0-9a-f]{8} +ProgrammeService\/RollBack +programme +3\n/)
  const [newest] = (await lps('audit', '--max', '1', '--json')).out.split('\n')
  t.match(JSON.parse(newest!), { call: 'ProgrammeService/RollBack' })
  t.match(await lps('audit', 'member'), { code: 2, err: /a kind and an id/ })
  t.match(await lps('audit', 'member', 'nobody'), { code: 1, out: '' })
})

t.test('proposals: made, listed, approved by another person, or taken back', async (t) => {
  t.match(await lps('proposal', 'list'), { code: 1, err: /^there is no proposal/ })
  const made = await lps('proposal', 'add', draft, '--note', 'dearer coffee')
  t.match(made, { code: 0, err: /benefit_removed/ })
  const [id = ''] = made.out.match(/(?<=^proposal )\S+(?= waits for another person\n$)/) ?? []
  t.match(await lps('proposal', 'list', '--open'), {
    code: 0,
    out: new RegExp(`\n${id} +3 +\\S+ +marketing-[0-9a-f]{8} +open +dearer coffee\n$`),
  })
  t.match(await lps('proposal', 'show', id), { code: 0, out: /dearer coffee\n~ benefit changed / })
  t.match(await lps('proposal', 'show', id, '--document'), { code: 0, out: readFileSync(join(folder, draft), 'utf8') })
  t.match(await lps('proposal', 'show', randomUUID()), { code: 1, err: /PROPOSAL_NOT_FOUND/ })
  t.match(await lps('proposal', 'add', draft, '--expect', '1e3'), { code: 2, err: /--expect: expected a version/ })
  t.match(await lps('proposal', 'approve', id), { code: 1, err: /another person than its author/ })
  t.match(await lps('proposal', 'approve', id, '--token', 'a-token'), { code: 0, out: 'version 4 is published\n' })
  t.match(await lps('proposal', 'add', draft), { code: 0, out: 'version 4 is this programme already\n' })
  t.match(await lps('proposal', 'add', draft, '--expect', '3'), { code: 1, err: /VERSION_MISMATCH/ })

  const back = (await lps('proposal', 'add', programmeFile)).out.split(' ')[1]!
  t.match(await lps('proposal', 'decline', back), { code: 2, err: /--reason is missing/ })
  const declined = await lps('proposal', 'decline', back, '--reason', 'too early')
  t.match(declined, { code: 0, out: `proposal ${back} is declined\n` })
  t.match(await lps('proposal', 'list', '--open'), { code: 1, out: '' })
  t.match(await lps('proposal', 'list'), { code: 0, out: /declined by marketing-[0-9a-f]{8}: too early/ })
})
