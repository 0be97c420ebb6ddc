import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { aBasket, aSale, type BasketBody } from './basket.js'
import { lpsFolder, programmeFile, type Said } from './run-lps.js'
import { startService } from './service.js'

const { run, write } = lpsFolder(t)
t.setTimeout(900_000)

const tokens = 'reader:r-token,marketing:m-token,admin:a-token'
const service = await startService({
  env: { LOYALTY_DEADLINE_MS: '10000', LOYALTY_PROGRAM: programmeFile, LOYALTY_TOKENS: tokens },
})
t.teardown(() => service.stop())
write('tokens', tokens.replaceAll(',', '\n'))

/** Runs a command against the service, with its tokens. */
function lps(...words: readonly string[]): Promise<Said> {
  return run(...words, '--internal', service.internalUrl, '--token-file', 'tokens')
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
  t.match(await run('validate', good), { code: 0, err: /can be published: 3 venues, 3 members, 5 benefits$/m })
  const switchedOff = aDocument(({ benefits }) => {
    benefits[1].enabled = false
  })
  const one = await run('validate', write('off.json', switchedOff))
  t.match(one, { code: 0, err: /4 benefits and 1 that is not enabled$/m })
  const bad = write(
    'bad.json',
    aDocument(({ benefits }) => {
      benefits[0].reward.percentage = 200
      benefits[2].limits[0].maximum = 0
    }),
  )
  const { code, out, err } = await run('validate', bad)
  t.equal(code, 1)
  t.match(out, /^benefits\[0\]\.reward\.percentage: expected .* received 200$/m)
  t.match(out, /^benefits\[2\]\.limits\[0\]\.maximum: expected/m)
  t.match(err, /has 2 faults/)
  const json = await run('validate', bad, '--json')
  t.match(JSON.parse(json.out), { faults: [{ path: 'benefits[0].reward.percentage' }, {}], more: 0 })
  t.match(await run('validate'), { code: 2, err: /^missing required argument 'file'/ })
  t.match(await run('validate', 'none.json'), { code: 2, err: /none\.json: .*ENOENT/ })
})

t.test('report shows what benefits gave and what was sold', async (t) => {
  const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).body()
  t.match(await lps('report'), { code: 1, out: '' })
  t.match(await service.send('/v1/pos/basket', JSON.stringify(basket)), { json: { status: 'applied' } })
  const sale = aSale(basket, { paidTotal: 405, loyaltyDiscountTotal: 45 })
  t.match(await service.send('/v1/pos/sale', JSON.stringify(sale)), { status: 200 })
  const { code, out } = await lps('report', '--by', 'venue,benefit')
  t.equal(code, 0)
  t.match(out, /\n +venue-1 +coffee-10 +1 +1 +0\.45 EUR +0\.45 EUR +10\.0 % +4\.05 EUR\n\n/)
  t.match(out, /\n +venue-1 +1 +1 +1 +0 +0 +4\.05 EUR +0\.45 EUR +10\.0 %\n$/)
  t.match(JSON.parse((await lps('report', '--by', '', '--json')).out), { benefits: [{ redemptions: '1' }] })
  const more = await lps('report', '--without', 'coffee-10')
  t.equal(more.code, 0, more.err)
  t.match(more.out, /\nof 0\.45 EUR given by coffee-10 0\.45 EUR would not have been given without it \(100\.0 %\)\n1 /)
  t.match(await lps('report', '--without', 'no-such'), { code: 1, err: /without_benefit_id: expected a benefit/ })
  t.match(await lps('report', '--by', 'week'), { code: 2, err: /--by: expected benefit, venue, day/ })
  t.match(await lps('report', '--until', 'soon'), { code: 2, err: /--until: expected a day/ })
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
    t.match(await run(name, huge), { code: 2, err: /huge\.json: expected at most 33554432 bytes/ }, name)
  t.match(await lps('publish', 'good.json', '--expect', 'x'), { code: 2, err: /^--expect: expected a version/ })
  const removal = write(
    'removal.json',
    aDocument(({ benefits }) => benefits.splice(4, 1)),
  )
  const proposed = await lps('publish', removal, '--propose', 'no order discount')
  t.match(proposed, { code: 0, err: /^warning: .*benefit_removed: .*Gold 5 % \(gold-order\)$/m })
  const [, proposalId = ''] = /^proposal (\S{36}) waits for another person\n$/.exec(proposed.out) ?? []
  const shown = await lps('call', 'ProgrammeService/GetProposal', '--proposal-id', proposalId)
  t.match(shown.out, /^proposal\.note: +no order discount$/m)
  t.match(await lps('publish', dearer, '--propose', 'x'), { code: 0, out: 'version 2 is this programme already\n' })
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
  t.match(out, new RegExp(`^calculation\\.calculation_id: +${calculationId}\n`))
  t.match(out, /^calculation\.loyalty_id: +anna$/m)
  t.match(out, /^calculation\.state: +open$/m)
  t.match(out, /^calculation\.net_after: +67\.87 EUR$/m)
  const [sent, charged] = out.split('As answered')
  t.match(sent, /As sent \(EUR\)\n {2}2 x Coffee at 4\.60 +9\.20\n {2}1 x tea at 60\.00 +60\.00\n {2}To pay +69\.20/)
  t.match(charged, / {6}Coffee 10 % +-0\.92\n/)
  t.match(charged, /Gold 5 % +-0\.41\n {2}To pay +67\.87\n/)
  t.match(out, /coffee-10 +gives 0\.92 EUR on 2 x Coffee \(line 1\)/)
  t.match(out, /gold-order +gives 0\.41 EUR on/)
  const none = aBasket('ben').line({ productId: 'tea', unitPrice: 100 })
  await service.send('/v1/pos/basket', none.text())
  const nothing = await lps('explain', String(none.body()['calculationId']))
  t.match(nothing.out, /^calculation\.status: +unchanged\ncalculation\.reason: +conditions_not_met$/m)
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
  t.match(out, /^reservations\n.*\nbun-everyone .*\b3 .*open/m)
  t.match(out, /\n {6}free\ufffd\[2J\ufffd {2}To pay 0\.00 +-0\.10\n/)
  const sale = aSale(basket.body(), { status: 'cancelled', transactionId: undefined })
  t.match(await service.send('/v1/pos/sale', JSON.stringify(sale)), { status: 200 })
  t.match((await lps('explain', calculationId)).out, /^bun-everyone .*\b3 .*released(.*\n)*abandoned /m)
  t.match((await lps('explain', calculationId, '--json')).out, /^\{\n/)
})

t.test('shadow shows what a draft would have changed', async (t) => {
  const draft = write(
    'draft.json',
    aDocument(({ benefits }) => benefits.splice(0, 1)),
  )
  const { code, out, err } = await lps('shadow', draft, '--since', '1d')
  t.equal(code, 0, err)
  t.match(out, /^totals\ncurrency +discount_then +discount_draft +changed\nEUR +\d+\.\d\d EUR /m)
  t.match(out, /^coffee-10 +EUR +\d+\.\d\d EUR +0\.00 EUR +\d+$/m)
  t.match(out, /^examples\ncalculation_id +currency +net_then +net_draft\n/m)
  t.match(err, /^\d+ of \d+ calculations would come out differently/)
  const off = write(
    'off.json',
    aDocument(({ benefits }) => {
      benefits[0].enabled = false
    }),
  )
  const idle = await lps('shadow', off, '--since', '1d')
  t.match(idle.err, /^coffee-10 was not in force in \d+ baskets: --in-force prices it all the same$/m)
  const supposed = await lps('shadow', off, '--since', '1d', '--in-force', 'coffee-10')
  t.notMatch(supposed.err, /--in-force/)
  t.match(supposed.err, /^0 of \d+ calculations would come out differently/, 'as it was then')
  t.match(await lps('shadow', off, '--in-force', 'nothing'), { code: 1, err: /as_if_in_force/ })
  const same = await lps('shadow', 'good.json', '--since', '1d', '--json')
  t.match(JSON.parse(same.out), { totals: [{ currency: 'EUR' }] })
  t.match(await lps('shadow', 'bad.json'), { code: 1, err: /PROGRAMME_FAULTY/ })
  t.match(await lps('shadow', draft, '--examples', '0'), { code: 2, err: /^--examples: expected 1 to 100/ })
})

t.test('an unreachable service or a wrong token is reported with what to do', async (t) => {
  const internal = ['--internal', service.internalUrl]
  t.match(await run('report', ...internal, '--token', 'x'), { code: 2, err: /rejects this token/ })
  t.match(await run('report', ...internal), { code: 2, err: /no token of the role reader in .*tokens.*--token-file/ })
  t.match(await run('publish', 'good.json', ...internal, '--token', 'r-token'), {
    code: 2,
    err: /role marketing or admin/,
  })
  t.match(await run('report', '--internal', '127.0.0.1:1', '--token', 'x'), { code: 2, err: /does not answer/ })
  t.match(await run('report', '--internal', 'http://', '--token', 'x'), { code: 2, err: /--internal: expected/ })
})

t.test('a call times out after a minute, a shadow run never; a change is tried five times', async (t) => {
  const timeouts: (string | undefined)[] = []
  const silent = createServer().on('stream', (stream, headers) => {
    timeouts.push(headers['grpc-timeout']?.toString())
    stream.session?.destroy()
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const words = ['--token', 'x', '--internal', `127.0.0.1:${(silent.address() as AddressInfo).port}`]
  t.match(await run('report', ...words), { code: 2, err: /does not answer/ })
  t.match(await run('shadow', 'good.json', ...words), { code: 2, err: /does not answer/ })
  t.same(timeouts, ['60000m', undefined])
  t.match(await run('call', 'VenueService/UpsertVenue', ...words), { code: 2, err: /does not answer/ })
  t.equal(timeouts.length, 2 + 5, 'only a change is made again')
})
