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
const folder = mkdtempSync(join(tmpdir(), 'lps-member-'))
t.teardown(() => rmSync(folder, { recursive: true }))
t.setTimeout(180_000)

const programme = JSON.parse(readFileSync(programmeFile, 'utf8')) as Record<string, unknown>
const stamps = { ruleId: 'units', currencyId: 'stamps', give: 1, per: { units: 1 } }
const tier = { currencyId: 'stamps', amount: 10, windowMonths: 12, keepMonths: 0 }
writeFileSync(
  join(folder, 'programme.json'),
  JSON.stringify({ ...programme, earning: [stamps], tiers: [{ tierId: 'platinum', rank: 1, ...tier }] }),
)
writeFileSync(join(folder, 'tokens'), 'reader:r-token\nadmin:a-token\n')
const service = await startService({
  env: { LOYALTY_PROGRAM: join(folder, 'programme.json'), LOYALTY_TOKENS: 'reader:r-token,admin:a-token' },
})
t.teardown(() => service.stop())

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

async function sell(basket: BasketBody): Promise<void> {
  const answer = await service.send('/v1/pos/basket', JSON.stringify(basket))
  const { status, basket: charged = basket } = answer.json
  const sold = await service.send(
    '/v1/pos/sale',
    JSON.stringify(aSale(basket, { status, paidTotal: charged.totals.net })),
  )
  if (sold.status !== 200) throw new Error(sold.text)
}

t.test('a member is imported with its dates and shown', async (t) => {
  const row = 'm-eve,card-eve,basic,staff,,02-29,2024-05-17'
  writeFileSync(join(folder, 'eve.csv'), `memberId,loyaltyIds,tier,segments,blocked,birthday,joinedOn\n${row}\n`)
  t.match(await lps('members', 'import', 'eve.csv'), { code: 0, out: /^1 new/ })
  t.match(await lps('member', 'show', '--card', 'card-eve'), {
    code: 0,
    out: [
      'member      m-eve',
      'loyalty ids card-eve',
      'segments    staff',
      'birthday    02-29',
      'joined on   2024-05-17',
      'tier        basic, stored with the member',
      'visits      0\n',
    ].join('\n'),
  })
  writeFileSync(join(folder, 'bad.csv'), 'memberId,loyaltyIds,birthday\nm-ida,card-ida,31-12\n')
  t.match(await lps('members', 'import', 'bad.csv'), { code: 1, err: /line 2: birthday: expected a day of the year/ })
})

t.test('a tier is set, shown and ended', async (t) => {
  const set = ['member', 'tier', '--card', 'anna', '--reason', 'tier match']
  const until = ['--until', '2099-01-01T00:00:00+01:00']
  t.match(await lps(...set, '--tier', 'platinum', ...until), {
    code: 0,
    out: /^tier {8}platinum, set, until 2098-12-31T23:00:00\.000Z: tier match\nvisits {6}0\n$/,
  })
  const json = JSON.parse((await lps('member', 'show', '--member', 'member-1', '--json')).out)
  t.match(json, { member: { tier: 'gold' }, standing: { tier: 'platinum', tierSource: 'TIER_SOURCE_SET' } })
  t.match(await lps(...set, '--end'), { code: 0, out: /^tier {8}gold, stored with the member\n/ })
  t.match(await lps(...set, '--tier', 'bronze', ...until), { code: 1, err: /^TIER_NOT_FOUND: / })
})

t.test('a member is merged into another after a dry run', async (t) => {
  writeFileSync(join(folder, 'twice.csv'), 'memberId,loyaltyIds\nm-old,card-old\nm-new,card-new\n')
  await lps('members', 'import', 'twice.csv')
  await lps('value', 'adjust', '--card', 'card-old', '--currency', 'stamps', '--amount', '7', '--reason', 'x')
  const until = ['--until', '2099-01-01T00:00:00Z', '--reason', 'match']
  await lps('member', 'tier', '--card', 'card-old', '--tier', 'platinum', ...until)
  await sell(aBasket('card-old').line({ productId: 'coffee', unitPrice: 450 }).body())
  const merge = ['member', 'merge', '--from-card', 'card-old', '--into', 'm-new']
  const moves = 'currency +amount +debt +paid +completed\nstamps +8 +0 +0 +0'
  const counts =
    '1 loyalty ids, 1 calculations, 0 counters of limits, 1 visits, tier platinum until 2099-01-01T00:00:00.000Z'
  t.match(await lps(...merge, '--dry-run'), { code: 0, out: new RegExp(`^${moves}\nwould move: ${counts}\n$`) })
  t.match(await lps('value', 'balances', '--card', 'card-new'), { err: /no account yet/ })
  t.match(await lps(...merge, '--reason', 'a new card'), { code: 0, out: new RegExp(`^${moves}\nmoved: ${counts}\n$`) })
  t.match(await lps('value', 'balances', '--card', 'card-old'), { code: 0, out: /^stamps +Stamps +8 /m })
  t.match(await lps('member', 'show', '--card', 'card-old'), { out: /^member +m-new\n(.*\n)*visits +1\n/ })
  t.match(await lps('member', 'show', '--member', 'm-old'), { code: 1, err: /^MEMBER_NOT_FOUND/ })
  const itself = ['--from-card', 'card-old', '--into', 'm-new']
  t.match(await lps('member', 'merge', ...itself), { code: 1, err: /into: expected another member/ })
})

t.test('a sale without a member is claimed once', async (t) => {
  const basket = aBasket('card-later').line({ productId: 'coffee', quantity: 2, unitPrice: 450 }).body()
  await sell(basket)
  writeFileSync(join(folder, 'later.csv'), 'memberId,loyaltyIds\nm-later,card-later\n')
  await lps('members', 'import', 'later.csv')
  const claim = ['member', 'claim', String(basket['calculationId'])]
  t.match(await lps(...claim, '--card', 'card-later', '--dry-run'), { code: 0, out: '2 stamps would be given\n' })
  t.match(await lps('value', 'balances', '--member', 'm-later'), { err: /no account yet/ })
  t.match(await lps(...claim, '--card', 'card-later', '--reason', 'forgot the card'), {
    code: 0,
    out: '2 stamps given\n',
  })
  t.match(await lps('value', 'balances', '--member', 'm-later'), { out: /^stamps +Stamps +2 /m })
  t.match(await lps(...claim, '--card', 'ben'), { code: 1, err: /^ALREADY_CLAIMED/ })
  t.match(await lps('member', 'claim', randomUUID(), '--card', 'ben'), { code: 1, err: /^SALE_NOT_FOUND/ })
})

t.test('wrong use is explained', async (t) => {
  const set = ['member', 'tier', '--card', 'anna']
  for (const words of [
    [...set, '--reason', 'x'],
    [...set, '--reason', 'x', '--tier', 'gold'],
    [...set, '--reason', 'x', '--tier', 'gold', '--end'],
    [...set, '--tier', 'gold', '--until', '2099-01-01T00:00:00Z'],
    ['member', 'tier', '--tier', 'gold', '--until', '2099-01-01T00:00:00Z', '--reason', 'x'],
    ['member', 'show'],
    ['member', 'merge', '--from', 'a'],
    ['member', 'claim', '--card', 'ben'],
  ])
    t.match(await lps(...words), { code: 2, err: /expected|missing/ }, words.join(' '))
})
