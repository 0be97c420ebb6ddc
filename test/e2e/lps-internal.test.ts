import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { aBasket, aSale, type BasketBody } from './basket.js'
import { startService } from './service.js'

const main = join(import.meta.dirname, '..', '..', 'clients', 'lps', 'main.js')
const programmeFile = join(import.meta.dirname, '..', '..', '..', 'test', 'e2e', 'programme.json')
const folder = mkdtempSync(join(tmpdir(), 'lps-internal-'))
t.teardown(() => rmSync(folder, { recursive: true }))
t.setTimeout(300_000)

const service = await startService({
  env: { LOYALTY_DEADLINE_MS: '10000', LOYALTY_PROGRAM: programmeFile, LOYALTY_TOKENS: 'reader:r-token,admin:a-token' },
})
t.teardown(() => service.stop())
writeFileSync(join(folder, 'tokens'), 'reader:r-token\nadmin:a-token\n')

interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

function run(words: readonly string[]): Promise<Said> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...words], { cwd: folder }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

/** Runs a command against the service, with its tokens. */
function lps(...words: readonly string[]): Promise<Said> {
  return run([...words, '--internal', service.internalUrl, '--token-file', 'tokens'])
}

function write(name: string, text: string | Buffer): string {
  writeFileSync(join(folder, name), text)
  return name
}

function aDocument(change: (document: BasketBody) => void): string {
  const document = JSON.parse(readFileSync(programmeFile, 'utf8')) as BasketBody
  change(document)
  return JSON.stringify(document)
}

t.test('validate names every fault, without a service', async (t) => {
  const good = write(
    'good.json',
    aDocument(() => {}),
  )
  t.match(await run(['validate', good]), { code: 0, err: /can be published: 3 venues, 3 members, 5 benefits$/m })
  const switchedOff = aDocument(({ benefits }) => {
    benefits[1].enabled = false
  })
  const one = await run(['validate', write('off.json', switchedOff)])
  t.match(one, { code: 0, err: /4 benefits and 1 that is not enabled$/m })
  const bad = write(
    'bad.json',
    aDocument(({ benefits }) => {
      benefits[0].reward.percentage = 200
      benefits[2].limits[0].maximum = 0
    }),
  )
  const { code, out, err } = await run(['validate', bad])
  t.equal(code, 1)
  t.match(out, /^benefits\[0\]\.reward\.percentage: expected .* received 200$/m)
  t.match(out, /^benefits\[2\]\.limits\[0\]\.maximum: expected/m)
  t.match(err, /has 2 faults/)
  const json = await run(['validate', bad, '--json'])
  t.match(JSON.parse(json.out), { faults: [{ path: 'benefits[0].reward.percentage' }, {}], more: 0 })
  t.match(await run(['validate']), { code: 2, err: /expected one programme document/ })
  t.match(await run(['validate', 'none.json']), { code: 2, err: /none\.json: .*ENOENT/ })
})

t.test('publish publishes, reports an unchanged document, and refuses an outdated base version', async (t) => {
  t.match(await lps('publish', 'good.json'), { code: 0, out: /^version 1 is this programme already/ })
  const dearer = write(
    'dearer.json',
    aDocument(({ venues }) => {
      venues[0].products[0].unitPrice = 460
    }),
  )
  t.match(await lps('publish', dearer), { code: 0, out: /^version 2 is published/ })
  t.match(await lps('publish', 'good.json', '--expect', '1'), { code: 1, err: /VERSION_MISMATCH/ })
  t.match(await lps('publish', 'bad.json'), { code: 1, err: /PROGRAMME_FAULTY.*\n.*document\.benefits\[0\]/ })
  const huge = write('huge.json', aDocument(() => {}).padEnd(34_000_000))
  for (const name of ['validate', 'publish', 'shadow'])
    t.match(await run([name, huge]), { code: 2, err: /huge\.json: expected at most 33554432 bytes/ }, name)
  t.match(await lps('publish', 'good.json', '--expect', 'x'), { code: 2, err: /--expect: expected a version/ })
})

t.test('explain shows the receipt before and after, and every benefit with its reason', async (t) => {
  const basket = aBasket('anna')
    .line({ productId: 'coffee', unitPrice: 460, quantity: 2 })
    .line({ productId: 'tea', unitPrice: 6_000, noDiscount: true })
  const { json } = await service.send('/v1/pos/basket', basket.text())
  t.equal(json.status, 'applied')
  const calculationId = String(basket.body()['calculationId'])
  const { code, out, err } = await lps('explain', calculationId)
  t.equal(code, 0, err)
  t.match(out, new RegExp(`^Calculation ${calculationId}\n`))
  t.match(out, /member member-1, card anna\n {2}applied, now open; programme version 2/)
  const [sent, charged] = out.split('As answered')
  t.match(sent, /As sent \(EUR\)\n {2}2 x Coffee at 4\.60 +9\.20\n {2}1 x tea at 60\.00 +60\.00\n {2}To pay +69\.20/)
  t.match(charged, / {6}Coffee 10 % +-0\.92\n/)
  t.match(charged, /Gold 5 % +-0\.41\n {2}To pay +67\.87\n/)
  t.match(out, /coffee-10 +gives 0\.92 EUR on 2 x Coffee \(line 1\)/)
  t.match(out, /gold-order +gives 0\.41 EUR on/)
  const none = aBasket('ben').line({ productId: 'tea', unitPrice: 100 })
  await service.send('/v1/pos/basket', none.text())
  const nothing = await lps('explain', String(none.body()['calculationId']))
  t.match(nothing.out, /unchanged \(conditions_not_met\)/)
  t.match(nothing.out, /Nothing changes: charge the basket as sent/)
  t.match(nothing.out, /coffee-10 +not applied: the basket lacks/)
  t.match(JSON.parse((await lps('explain', calculationId, '--json')).out), { calculation: { calculationId } })
  t.match(await lps('explain', randomUUID()), { code: 1, err: /CALCULATION_NOT_FOUND/ })
  t.match(await lps('explain', 'x'), { code: 2, err: /expected a GUID/ })
})

t.test('explain shows the state of reservations, and only its own lines', async (t) => {
  const text = 'free\u001b[2J\n  To pay 0.00'
  const given = { type: 'amount', amount: 10, text }
  const basket = aBasket('ben')
    .line({ productId: 'bun', unitPrice: 120, quantity: 3 })
    .line({ productId: 'tea', unitPrice: 100, noDiscount: true, discounts: [given] })
  t.equal((await service.send('/v1/pos/basket', basket.text())).json.status, 'applied')
  const calculationId = String(basket.body()['calculationId'])
  const { out } = await lps('explain', calculationId)
  t.match(out, / {2}took 3 of the limit bun-everyone \(everyone, ever\): open\n/)
  t.match(out, /\n {6}free\ufffd\[2J\ufffd {2}To pay 0\.00 +-0\.10\n/)
  const sale = aSale(basket.body(), { status: 'cancelled', transactionId: undefined })
  t.match(await service.send('/v1/pos/sale', JSON.stringify(sale)), { status: 200 })
  t.match((await lps('explain', calculationId)).out, /abandoned at .*\n {2}took 3 .*: released\n/)
  t.match((await lps('explain', calculationId, '--json')).out, /^\{\n/)
})

t.test('a closed pipe ends the command quietly', async (t) => {
  const child = spawn(process.execPath, [main, '--help'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const [code] = await once(child, 'close')
  t.same([code, err], [141, ''])
})

t.test('members import stores a file, and names each refused line', async (t) => {
  const rows = Array.from({ length: 1_200 }, (_, at) => `m-${at},card-${at};phone-${at},gold,,`)
  const file = write('members.csv', `\ufeffmemberId,loyaltyIds,tier,segments,blocked\r\n${rows.join('\r\n')}\r\n\r\n`)
  t.match(await lps('members', 'import', file), { code: 0, out: '1200 new, 0 changed, 0 as they were\n' })
  t.match(await lps('members', 'import', file), { code: 0, out: '0 new, 0 changed, 1200 as they were\n' })
  const change = write('change.csv', 'loyaltyIds,memberId,segments\n"card-0;""quoted"", too",m-0,"a,b;c"\n')
  t.match(await lps('members', 'import', change), { code: 0, out: '0 new, 1 changed, 0 as they were\n' })
  const m0 = await lps('member', 'show', '--member', 'm-0')
  t.match(m0.out, /^tier +gold, stored/m, 'a column that the file does not have stays')
  const basket = aBasket('"quoted", too').line({ productId: 'coffee', unitPrice: 460 })
  t.equal((await service.send('/v1/pos/basket', basket.text())).json.status, 'applied')

  const segments = Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(60, 's')).join(';')
  const wide = rows.slice(0, 800).map((_, at) => `w-${at},w-card-${at},${segments}\n`)
  const wideFile = write('wide.csv', `memberId,loyaltyIds,segments\n${wide.join('')}`)
  t.match(await lps('members', 'import', wideFile), { code: 0, out: '800 new, 0 changed, 0 as they were\n' })

  const twice = write('twice.csv', 'memberId,loyaltyIds\nm-7,a\n\nm-7,b\n')
  t.match(await lps('members', 'import', twice), {
    code: 1,
    err: /^line 4: member_id: expected a memberId of its own: line 2 has it already; .*\nnothing from line 2 on is stored; 0 members/,
  })
  const wrong: [string, RegExp][] = [
    ['', /expected a first line/],
    ['memberId,card\nm,c\n', /line 1: expected columns of .* received card/],
    ['loyaltyIds\nc\n', /line 1: expected the columns memberId/],
    ['memberId,loyaltyIds,memberId\nm,c,m\n', /line 1: expected every column once/],
  ]
  for (const [text, err] of wrong)
    t.match(await lps('members', 'import', write('wrong.csv', text)), { code: 2, err }, text)
  t.match(await lps('members', 'import', 'none.csv'), { code: 2, err: /no such file/ })
  t.match(await lps('members', 'import', '.'), { code: 2, err: /received a directory/ })
  const faulty: [string | Buffer, RegExp][] = [
    ['memberId,loyaltyIds\nm\n', /^line 2: expected 2 fields, received 1\nnothing from line 2 on is stored; 0 members/],
    ['memberId,loyaltyIds\n"m,c\n', /line 2: expected fields of a CSV file: Quote Not Closed/],
    ['memberId,loyaltyIds,blocked\nm,c,no\n', /line 2: blocked: expected true, false or nothing/],
    [Buffer.from('memberId,loyaltyIds\nm,K\xe5re\n', 'latin1'), /line 2: expected UTF-8/],
    [
      `memberId,loyaltyIds\n${rows.map((_, at) => `m-${at},card-${at}\n`).join('')}m\n`,
      /^line 1202: .*\nnothing from line 1002 on is stored; 1000 members before it are/,
    ],
  ]
  for (const [text, err] of faulty)
    t.match(await lps('members', 'import', write('faulty.csv', text)), { code: 1, err }, String(err))
})

t.test('members import takes no card of another member unless it is allowed to, and counts before', async (t) => {
  const old = write('old.csv', 'memberId,loyaltyIds,tier,segments\ni-1,i-card-1,gold,a;b\ni-2,i-card-2,gold,\n')
  t.match(await lps('members', 'import', old), { code: 0, out: '2 new, 0 changed, 0 as they were\n' })
  const shown = async (member: string) => (await lps('member', 'show', '--member', member)).out
  const cleared = write('cleared.csv', 'memberId,segments,blocked\ni-1,,\n')
  t.match(await lps('members', 'import', cleared), { code: 0, out: '0 new, 1 changed, 0 as they were\n' })
  t.notMatch(await shown('i-1'), /segments/, 'an empty cell takes the segments away')
  t.match(await shown('i-1'), /^loyalty ids i-card-1\ntier +gold/m)

  const taking = write('taking.csv', 'memberId,loyaltyIds\ni-2,i-card-2\n\ni-3,"i-card-3;i-card-1"\n')
  const refused = await lps('members', 'import', taking)
  t.equal(refused.code, 1)
  t.equal(
    refused.err,
    'line 4: loyalty_ids[1]: i-card-1 is a card of member i-1; --move-cards moves it\nnothing from line 2 on is stored; 0 members before it are\n',
  )
  const counts = 'would be: 1 new, 0 changed, 1 as they were; 1 card of other members would move\n'
  t.match(await lps('members', 'import', taking, '--dry-run'), {
    code: 1,
    out: counts,
    err: 'line 4: i-card-1 is a card of member i-1\nthe import would be refused there; --move-cards moves them\n',
  })
  t.match(await lps('members', 'import', taking, '--dry-run', '--move-cards'), { code: 0, out: counts })
  t.match(await lps('member', 'show', '--member', 'i-3'), { code: 1, err: /MEMBER_NOT_FOUND/ }, 'nothing is stored yet')
  t.match(await lps('members', 'import', taking, '--move-cards'), {
    code: 0,
    out: '1 new, 0 changed, 1 as they were; 1 card of other members moved\n',
  })
  t.match(await shown('i-3'), /^loyalty ids i-card-1, i-card-3$/m)
  const cardless = write('cardless.csv', 'memberId,tier\ni-1,gold\ni-9,gold\n')
  t.match(await lps('members', 'import', cardless), {
    code: 1,
    err: /^line 3: loyalty_ids: expected .*the member is new/,
  })
  t.match(await lps('members', 'import', cardless, '--dry-run'), { code: 1, err: /^line 3: loyalty_ids: [^\n]*\n$/ })
})

t.test('member forget says until when it is complete, and whether it is', async (t) => {
  const file = write('forgotten.csv', 'memberId,loyaltyIds\nf-1,f-card-1\n')
  await lps('members', 'import', file)
  const { code, out } = await lps('member', 'forget', '--card', 'f-card-1', '--reason', 'asked for by letter')
  t.equal(code, 0)
  const [, until, requestId] = /^complete by (\S+): lps member forget --request (\S+)$/m.exec(out) ?? []
  t.ok(Math.abs(Date.parse(until!) - Date.now() - 16 * 60_000) < 60_000, out)
  t.match(await lps('member', 'forget', '--request', requestId!), { code: 1, out: `pending, complete by ${until}\n` })
  t.match(await lps('member', 'forget', '--request', randomUUID()), { code: 1, err: /^FORGETTING_NOT_FOUND/ })
  t.match(await lps('member', 'forget', '--member', 'f-1', '--card', 'x'), { code: 2, err: /expected --member/ })
  t.match(await lps('member', 'show', '--member', 'f-1'), { code: 1, err: /^MEMBER_NOT_FOUND/ })
})

t.test('limits and discrepancies print as tables, or as one JSON object a line', async (t) => {
  const basket = aBasket('ben').line({ productId: 'bun', unitPrice: 120, quantity: 3 })
  t.equal((await service.send('/v1/pos/basket', basket.text())).json.status, 'applied')
  const { code, out } = await lps('limits', '--limit', 'bun-everyone')
  t.equal(code, 0)
  t.match(
    out,
    /^limit +of +period +maximum +used +late +open +left +last hour +last day +runs out +next expiry\nbun-everyone +everyone +ever +10 +0 +0 +3 +7 +3 +3 +\d{4}-/,
  )
  const juice = aBasket('ben').line({ productId: 'juice', unitPrice: 470 })
  t.equal((await service.send('/v1/pos/basket', juice.text())).json.status, 'applied')
  const budget = await lps('limits', '--limit', 'juice-budget')
  t.match(
    budget.out,
    /\njuice-budget +everyone +ever +10\.00 EUR +0\.00 EUR +0\.00 EUR +1\.70 EUR +8\.30 EUR +1\.70 EUR +1\.70 EUR +\d{4}-/,
  )
  const held = await lps('explain', String(juice.body()['calculationId']))
  t.match(held.out, / {2}took 1\.70 EUR of the limit juice-budget \(everyone, ever\): open\n/)
  const [line] = (await lps('limits', '--json')).out.split('\n')
  t.match(JSON.parse(line!), { limitId: 'bun-everyone', open: '3' })
  t.match(await lps('limits', '--limit', 'none'), { code: 0, out: '', err: /no counter of such a limit is in use/ })

  t.match(await lps('discrepancies'), { code: 0, out: '', err: /^0 sales disagree/ })
  const event = aSale(basket.body(), { paidTotal: 140 })
  await service.send('/v1/pos/sale', JSON.stringify(event))
  const found = await lps('discrepancies', '--since', '2h', '--venue', 'venue-1')
  t.equal(found.code, 1)
  t.match(found.out, /applied +1\.40 EUR +paid_total_mismatch\n$/)
  t.match(await lps('discrepancies', '--kind', 'late_event'), { code: 0 })
  t.notMatch(held.out, /its sale/)
  await service.send('/v1/pos/sale', JSON.stringify({ ...event, calculationId: juice.body()['calculationId'] }))
  const repeated = await lps('explain', String(juice.body()['calculationId']))
  t.match(repeated.out, /\n {2}took 1\.70 .*: released\n {2}its sale: .*paid_total_mismatch, .*transaction_repeated\n/)
  t.match(await lps('discrepancies', '--kind', 'x'), { code: 2, err: /--kind: expected one of/ })
  t.match(await lps('discrepancies', '--since', '1d', '--until', '2d'), { code: 2, err: /before --until 2d/ })
  t.match(await lps('discrepancies', '--since', '2999-01-01'), { code: 2, err: /a time before now/ })
  t.match(await lps('discrepancies', '--since', 'x'), { code: 2, err: /--since: expected minutes, hours or days ago/ })
})

t.test('shadow shows what a draft would have changed', async (t) => {
  const draft = write(
    'draft.json',
    aDocument(({ benefits }) => benefits.splice(0, 1)),
  )
  const { code, out, err } = await lps('shadow', draft, '--since', '1d')
  t.equal(code, 0, err)
  t.match(out, /^in all +given +with the draft +more given +baskets\n/)
  t.match(out, /^coffee-10 +\d+\.\d\d EUR +0\.00 EUR +-\d+\.\d\d +\d+$/m)
  t.match(out, /^largest differences +to pay +with the draft +more to pay\n/m)
  t.match(err, /^\d+ of \d+ calculations would come out differently/)
  const off = write(
    'off.json',
    aDocument(({ benefits }) => {
      benefits[0].enabled = false
    }),
  )
  const idle = await lps('shadow', off, '--since', '1d')
  t.match(idle.out, /^coffee-10 +0 +0 +0 +\d+ +not enabled: --in-force prices it all the same$/m)
  const supposed = await lps('shadow', off, '--since', '1d', '--in-force', 'coffee-10')
  t.match(supposed.out, /^coffee-10 +[1-9]\d* +\d+ +\d+ +\d+$/m)
  t.match(supposed.err, /^0 of \d+ calculations would come out differently/, 'as it was then')
  t.match(await lps('shadow', off, '--in-force', 'nothing'), { code: 1, err: /as_if_in_force/ })
  const same = await lps('shadow', 'good.json', '--since', '1d', '--json')
  t.match(JSON.parse(same.out), { totals: [{ currency: 'EUR' }] })
  t.match(await lps('shadow', 'bad.json'), { code: 1, err: /PROGRAMME_FAULTY/ })
  t.match(await lps('shadow', draft, '--examples', '0'), { code: 2, err: /--examples/ })
})

t.test('an unreachable service or a wrong token is reported with what to do', async (t) => {
  const internal = ['--internal', service.internalUrl]
  t.match(await run(['limits', ...internal, '--token', 'x']), { code: 2, err: /rejects this token/ })
  t.match(await run(['limits', ...internal]), { code: 2, err: /no token of the role reader in .*tokens.*--token-file/ })
  t.match(await run(['publish', 'good.json', ...internal, '--token', 'r-token']), {
    code: 2,
    err: /role marketing or admin/,
  })
  t.match(await run(['limits', '--internal', '127.0.0.1:1', '--token', 'x']), { code: 2, err: /does not answer/ })
  t.match(await run(['limits', '--internal', 'http://', '--token', 'x']), { code: 2, err: /--internal: expected/ })
})

t.test('a call times out after a minute, a shadow run never', async (t) => {
  const timeouts: (string | undefined)[] = []
  const silent = createServer().on('stream', (stream, headers) => {
    timeouts.push(headers['grpc-timeout']?.toString())
    stream.session?.destroy()
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const words = ['--token', 'x', '--internal', `127.0.0.1:${(silent.address() as AddressInfo).port}`]
  t.match(await run(['limits', ...words]), { code: 2, err: /does not answer/ })
  t.match(await run(['shadow', 'good.json', ...words]), { code: 2, err: /does not answer/ })
  t.same(timeouts, ['60000m', undefined])
})
