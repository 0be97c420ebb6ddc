import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startService } from './service.js'

const main = join(import.meta.dirname, '..', '..', 'clients', 'lps', 'main.js')
const programmeFile = join(import.meta.dirname, '..', '..', '..', 'test', 'e2e', 'programme.json')
const folder = mkdtempSync(join(tmpdir(), 'lps-member-'))
t.teardown(() => rmSync(folder, { recursive: true }))
t.setTimeout(180_000)

const programme = JSON.parse(readFileSync(programmeFile, 'utf8')) as Record<string, unknown>
const tier = { currencyId: 'stamps', amount: 10, windowMonths: 12, keepMonths: 0 }
writeFileSync(
  join(folder, 'programme.json'),
  JSON.stringify({ ...programme, tiers: [{ tierId: 'platinum', rank: 1, ...tier }] }),
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

t.test('wrong use is explained', async (t) => {
  const set = ['member', 'tier', '--card', 'anna']
  for (const words of [
    [...set, '--reason', 'x'],
    [...set, '--reason', 'x', '--tier', 'gold'],
    [...set, '--reason', 'x', '--tier', 'gold', '--end'],
    [...set, '--tier', 'gold', '--until', '2099-01-01T00:00:00Z'],
    ['member', 'tier', '--tier', 'gold', '--until', '2099-01-01T00:00:00Z', '--reason', 'x'],
    ['member', 'show'],
  ])
    t.match(await lps(...words), { code: 2, err: /expected|missing/ }, words.join(' '))
})
