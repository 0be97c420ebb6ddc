import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startService } from './service.js'

const main = join(import.meta.dirname, '..', '..', 'clients', 'lps', 'main.js')
const programmeFile = join(import.meta.dirname, '..', '..', '..', 'test', 'e2e', 'programme.json')
const folder = mkdtempSync(join(tmpdir(), 'lps-value-'))
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
    execFile(process.execPath, [main, 'value', ...words, ...place], { cwd: folder }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

function write(name: string, rows: readonly string[]): string {
  writeFileSync(join(folder, name), `memberId,loyaltyId,currencyId,amount,expiresAt,reference\n${rows.join('\n')}\n`)
  return name
}

t.test('adjust adds and takes, and shows the accounts; movements and balances show the same', async (t) => {
  const anna = ['--card', 'anna']
  const gift = ['--currency', 'stamps', '--reason', 'a gift']
  const added = await lps('adjust', ...anna, ...gift, '--amount', '7', '--expires', '2099-01-01T00:00:00+01:00')
  t.match(added, { code: 0, out: /^currency +name +available.*\nstamps +Stamps +7 +0 +0 +0 +0\n/ })
  t.match(added.out, /^stamps +7 +0 +\S+ +2098-12-31T23:00:00\.000Z$/m)
  t.match(await lps('adjust', ...anna, ...gift, '--amount=-2'), { code: 0, out: /^stamps +Stamps +5 /m })
  t.match(await lps('adjust', ...anna, ...gift, '--amount=-6'), { code: 1, err: /^INSUFFICIENT_VALUE: only 5 is/ })
  t.match(await lps('balances', '--member', 'member-1'), { code: 0, out: /^stamps +Stamps +5 /m })
  const json = JSON.parse((await lps('balances', ...anna, '--json')).out)
  t.match(json, { accounts: [{ currencyId: 'stamps', available: '5' }], tier: 'gold' })
  const { out } = await lps('movements', ...anna)
  t.match(
    out,
    /^at +kind +currency +amount.*\n\S+ +adjusted +stamps +-2 +request:\S+ +a gift +admin-\S+\n\S+ +adjusted +stamps +7 /,
  )
  t.equal((await lps('movements', ...anna, '--currency', 'kroner')).err, 'nothing has moved yet\n')
})

t.test('transfer moves value, liability sums it by month', async (t) => {
  const words = ['--from-card', 'anna', '--to', 'member-2', '--currency', 'stamps', '--amount', '1', '--reason', 'x']
  t.match(await lps('transfer', ...words), { code: 0, out: '1 stamps moved\n' })
  t.match(await lps('balances', '--card', 'ben'), { out: /^stamps +Stamps +1 /m })
  t.match(await lps('liability'), { code: 0, out: /^currency +expires in +amount\nstamps +2098-12 +5\n$/ })
})

t.test('import needs the right control totals, and passes over what was imported before', async (t) => {
  const rows = Array.from({ length: 1_500 }, (_, at) => `${at % 2 ? 'member-1,' : ',ben'},kroner,${at + 1},,old-${at}`)
  const file = write('kroner.csv', rows)
  const total = ['--total', 'kroner=1125750']
  t.match(await lps('import', file, '--total', 'kroner=1125751'), {
    code: 1,
    err: 'kroner: the file sums to 1125750, the control total is 1125751\nnothing was imported\n',
  })
  t.match(await lps('import', write('half.csv', rows.slice(500, 1_001)), '--total', 'kroner=376251'), {
    code: 0,
    out: '501 rows are imported, 0 of them by another import\n',
  })
  const whole = { code: 0, out: '1500 rows are imported, 501 of them by another import\n' }
  t.match(await lps('import', file, ...total), whole)
  t.match(await lps('import', file, ...total), { code: 0, out: /^1500 rows are imported/ }, 'again')
  const held = await Promise.all(
    ['anna', 'ben'].map(async (card) => (await lps('balances', '--card', card, '--json')).out),
  )
  const sums = held.map(
    (out) => JSON.parse(out).accounts.find(({ currencyId = '' }) => currencyId === 'kroner').available,
  )
  t.equal(Number(sums[0]) + Number(sums[1]), 1_125_750)
})

t.test('a line that cannot be imported is named', async (t) => {
  const total = ['--total', 'stamps=3']
  const good = 'member-1,,stamps,1,,new-1'
  const wrong: readonly (readonly [string, RegExp])[] = [
    [
      'nobody,,stamps,2,,new-2',
      /^line 3: member: no such member; received "nobody"\nnothing from line 2 on is imported\n$/,
    ],
    ['member-1,,stamps,2,2001-01-01T00:00:00Z,new-2', /^line 3: expires_at: expected a moment to come; received .*\n/],
    ['member-1,,stamps,2,soon,new-2', /^line 3: expiresAt: expected a time .* received soon\nnothing was imported\n$/],
    ['member-1,,stamps,2,2027-02-30T00:00:00Z,new-2', /^line 3: expiresAt: expected a time/],
    ['member-1,ben,stamps,2,,new-2', /^line 3: expected either a memberId or a loyaltyId\n/],
    ['member-1,,stamps,2.5,,new-2', /^line 3: amount: expected a whole number, received 2\.5\n/],
    ['member-1,,stamps,2,,new-1', /^line 3: reference: expected one of its own; line 2 has it already\n/],
  ]
  for (const [row, err] of wrong)
    t.match(await lps('import', write('wrong.csv', [good, row]), ...total), { code: 1, out: '', err }, row)
})

t.test('wrong words end with exit code 2', async (t) => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['balances'], /expected either --member or --card/],
    [['balances', '--member', 'a', '--card', 'b'], /expected either --member or --card/],
    [['adjust', '--card', 'anna', '--amount', '1', '--reason', 'x'], /--currency is missing/],
    [
      ['adjust', '--card', 'anna', '--currency', 'stamps', '--amount', '1.5', '--reason', 'x'],
      /--amount: expected a whole/,
    ],
    [['transfer', '--from', 'a'], /expected either --to or --to-card/],
    [['import', 'none.csv', '--total', 'stamps=1'], /none\.csv: there is no such file/],
    [['import', 'tokens'], /--total CURRENCY=AMOUNT is missing/],
    [['import', 'tokens', '--total', 'stamps'], /--total: expected such as stamps=1200/],
  ]
  for (const [words, err] of wrong) t.match(await lps(...words), { code: 2, err }, words.join(' '))
})

t.test('adjust expires by the rule of the currency, or never', async (t) => {
  const gift = ['--card', 'ben', '--currency', 'coffees', '--reason', 'a gift']
  const ruled = await lps('adjust', ...gift, '--amount', '2')
  t.match(ruled.out, /^coffees +2 +0 +\S+ +20\d\d-\d\d-\d\dT\d\d:00:00\.000Z$/m)
  const ever = await lps('adjust', ...gift, '--amount', '1', '--never-expires')
  t.match(ever.out, /^coffees +1 +0 +\S+ +never$/m)
  t.match(await lps('adjust', ...gift, '--amount=-1', '--never-expires'), { code: 1, err: /INVALID_REQUEST/ })
})
