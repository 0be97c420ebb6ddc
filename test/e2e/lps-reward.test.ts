import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../support/until.js'
import { startService } from './service.js'

const main = join(import.meta.dirname, '..', '..', 'clients', 'lps', 'main.js')
const programmeFile = join(import.meta.dirname, '..', '..', '..', 'test', 'e2e', 'programme.json')
const folder = mkdtempSync(join(tmpdir(), 'lps-reward-'))
t.teardown(() => rmSync(folder, { recursive: true }))
t.setTimeout(180_000)

const service = await startService({
  env: { LOYALTY_PROGRAM: programmeFile, LOYALTY_TOKENS: 'reader:r-token,admin:a-token' },
})
t.teardown(() => service.stop())
writeFileSync(join(folder, 'tokens'), 'reader:r-token\nadmin:a-token\n')

/** Runs a command against the service, with its tokens. */
function lps(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const place = ['--internal', service.internalUrl, '--token-file', 'tokens']
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...words, ...place], { cwd: folder }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

const worth = ['--currency', 'stamps', '--amount', '3']

t.test('issue gives vouchers to a member, and to a segment once for each batch', async (t) => {
  const expires = ['--expires', '2099-01-01T00:00:00Z']
  t.match(await lps('reward', 'issue', '--card', 'anna', ...worth, ...expires), {
    code: 0,
    out: '3 stamps issued to 1 member\n',
  })
  t.match(await lps('value', 'balances', '--card', 'anna'), { out: /^stamps +3 +0 +\S+ +2099-01-01T00:00:00\.000Z$/m })
  writeFileSync(
    join(folder, 'members.csv'),
    'memberId,loyaltyIds,segments\ns-1,card-s-1,students\ns-2,card-s-2,students\n',
  )
  t.match(await lps('members', 'import', 'members.csv'), { code: 0 })
  const students = ['reward', 'issue', '--segment', 'students', ...worth]
  for (const times of [1, 2]) {
    const issued = await lps(...students, '--batch', 'autumn')
    t.match(issued, { code: 0, out: '3 stamps issued to 2 members\n' }, String(times))
  }
  t.match(await lps('value', 'balances', '--member', 's-2'), { out: /^stamps +Stamps +3 /m })
  t.match(await lps(...students, '--batch', 'winter'), { code: 0 })
  t.match(await lps('value', 'balances', '--member', 's-2'), { out: /^stamps +Stamps +6 /m })
})

t.test('import, claim and void handle codes', async (t) => {
  const codes = Array.from({ length: 1_500 }, (_, at) => `code-${at}`)
  writeFileSync(join(folder, 'codes.txt'), `${codes.join('\r\n')}\n\n`)
  for (const times of [1, 2]) {
    const imported = await lps('reward', 'import', 'codes.txt', ...worth)
    t.match(imported, { code: 0, out: '1500 codes are imported\n' }, String(times))
  }
  writeFileSync(join(folder, 'more.txt'), 'new-code\n\ncode-7\n')
  t.match(await lps('reward', 'import', 'more.txt', ...worth), {
    code: 1,
    out: '',
    err: '0 codes are imported, none from line 1 on\nline 3: this code was imported before\n',
  })
  t.match(await lps('reward', 'claim', 'code-1499', '--card', 'ben'), { code: 0, out: '3 stamps claimed\n' })
  t.match(await lps('reward', 'claim', 'code-1499', '--card', 'ben'), { code: 1, err: /^CODE_NOT_OPEN: .*claimed/ })
  t.match(await lps('reward', 'void', 'code-0'), { code: 0, out: 'the code is void\n' })
  t.match(await lps('reward', 'claim', 'code-0', '--card', 'ben'), { code: 1, err: /^CODE_NOT_OPEN: .*void/ })
  t.match(await lps('reward', 'claim', 'no-such-code', '--card', 'ben'), { code: 1, err: /^CODE_NOT_FOUND: / })
  t.match(await lps('value', 'balances', '--card', 'ben'), { out: /^stamps +Stamps +3 /m })
})

t.test('activate exchanges, and cancel takes it back', async (t) => {
  const member = ['--member', 'member-1']
  t.match(await lps('value', 'adjust', ...member, '--currency', 'stamps', '--amount', '20', '--reason', 'x'), {
    code: 0,
  })
  const exchange = ['reward', 'activate', ...member, '--from', 'stamps', '--to', 'coffees', '--times', '2']
  const activated = await lps(...exchange)
  t.match(activated, { code: 0, out: /^20 stamps became 2 coffees, until \S+Z: activation \d+\n$/ })
  const [, activation = ''] = /activation (\d+)/.exec(activated.out) ?? []
  t.match(await lps(...exchange), { code: 1, err: /^INSUFFICIENT_VALUE: only 3 is available/ })
  t.match(await lps('reward', 'cancel', activation), { code: 0, out: '2 times cancelled: 20 came back for 2\n' })
  t.match(await lps('reward', 'cancel', activation), { code: 1, err: /^NOTHING_UNUSED: / })
})

t.test('list shows what value buys at a venue', async (t) => {
  const document = JSON.parse(readFileSync(programmeFile, 'utf8'))
  const tea = { benefitId: 'tea', text: 'A tea', venueIds: ['venue-1'], reward: { kind: 'order_amount', amount: 300 } }
  const costs = { currencyId: 'coffees', amount: 2, per: 'basket', worth: 100 }
  document.benefits.push({ ...tea, costs })
  writeFileSync(join(folder, 'programme.json'), JSON.stringify(document))
  t.match(await lps('publish', 'programme.json'), { code: 0 })
  const list = (card: string, venue: string, ...more: readonly string[]) =>
    lps('reward', 'list', '--card', card, '--venue', venue, ...more)
  t.match(await lps('value', 'adjust', '--card', 'ben', '--currency', 'coffees', '--amount', '5', '--reason', 'x'), {
    code: 0,
  })
  // Readers price by the programme in force within 2 s of its publication.
  const listed = () => list('ben', 'venue-1')
  t.match(await until(listed, ({ out }) => out !== ''), {
    code: 0,
    out: /^benefit +text +currency +costs +per +times +missing\ntea +A tea +coffees +2 +basket +2 +0\n$/,
  })
  t.match(JSON.parse((await list('anna-phone', 'venue-1', '--json')).out), { benefitId: 'tea', missing: '2' })
  t.match(await list('ben', 'venue-2'), { code: 0, out: '', err: 'nothing costs anything here\n' })
  t.match(await list('ben', 'nowhere'), { code: 1, err: /^VENUE_NOT_FOUND/ })
  t.match(await lps('reward', 'list', '--card', 'ben'), { code: 2, err: /--venue is missing/ })
})

t.test('wrong words end with exit code 2', async (t) => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['issue', ...worth], /expected either --member or --card/],
    [['issue', '--segment', 'students', ...worth], /--batch is missing/],
    [['issue', '--segment', 'students', '--card', 'anna', ...worth], /expected one of --member, --card and --segment/],
    [['issue', '--card', 'anna', '--currency', 'stamps'], /--amount is missing/],
    [['import', ...worth], /expected one file of codes/],
    [['import', 'none.txt', ...worth], /none\.txt: expected a file that can be read/],
    [['claim', '--card', 'anna'], /expected one code/],
    [['void', 'one', 'two'], /expected one code/],
    [['activate', '--card', 'anna', '--to', 'coffees'], /--from is missing/],
    [['activate', '--card', 'anna', '--from', 'a', '--to', 'b', '--times', '0'], /--times: expected 1 to/],
    [['cancel', 'x'], /--activation: expected a whole number/],
  ]
  for (const [words, err] of wrong) t.match(await lps('reward', ...words), { code: 2, err }, words.join(' '))
})
