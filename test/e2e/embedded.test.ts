import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { isFull } from '../support/sized.js'
import { aBasket, aSale, berlin } from './basket.js'
import { partnerSuite } from './partner-suite.js'
import { lpsFolder } from './run-lps.js'
import { type RunningService, startService, unhurried } from './service.js'

const env = { ...unhurried, LOYALTY_PROGRAM: join(import.meta.dirname, 'programme.json') }

t.setTimeout(900_000)

// At its short size the contract is tested on Redis and Postgres alone: real.test.ts.
t.test('the partner contract on embedded stores', { skip: !isFull }, async (t) => {
  let service: RunningService
  t.before(async () => {
    service = await startService({ env })
  })
  partnerSuite(t, () => service)
  t.test('a SIGHUP that comes twice ends it in order', async (t) => {
    service.child.kill('SIGHUP')
    t.equal(await service.stop('SIGHUP'), 0)
  })
})

t.test('a POS may send the channels of LOYALTY_CHANNELS and no other, and benefits select them', async (t) => {
  const { folder, run, write } = lpsFolder(t)
  const programme = JSON.parse(readFileSync(env.LOYALTY_PROGRAM, 'utf8'))
  const [coffee] = programme.benefits
  const benefits = [{ ...coffee, channels: ['web'] }]
  const file = write('web.json', { ...programme, benefits, earning: undefined, tiers: undefined })
  const tokens = { LOYALTY_TOKENS: 'admin:token-of-an-admin', LOYALTY_CHANNELS: 'web,kiosk' }
  const service = await startService({ env: { ...unhurried, ...tokens, LOYALTY_PROGRAM: join(folder, file) } })
  t.teardown(() => service.stop())
  const place = ['--internal', service.internalUrl, '--token', 'token-of-an-admin']
  const send = (channel: string) =>
    service.send(
      '/v1/pos/basket',
      aBasket('ben', { ...berlin, channel })
        .line({ productId: 'coffee', unitPrice: 900 })
        .text(),
    )
  const [web, kiosk, other] = [await send('web'), await send('kiosk'), await send('shop')]
  t.match(web.json, { status: 'applied', basket: { context: { channel: 'web' }, totals: { net: 810 } } })
  t.match(kiosk.json, { status: 'unchanged', reason: 'no_benefits' })
  t.match(other, {
    status: 400,
    json: { error: { message: /context\.channel: expected one of pos, mpos, web, kiosk/ } },
  })
  const openApi = (await (await fetch(`${service.url}/openapi.json`)).json()) as { components: { schemas: never } }
  t.match(openApi.components.schemas, {
    Context: { properties: { channel: { enum: ['pos', 'mpos', 'web', 'kiosk'] } } },
  })
  const get = [
    'call',
    'CalculationService/GetCalculation',
    '--calculation-id',
    web.json.calculationId,
    '--output',
    'json',
  ]
  t.match(JSON.parse((await run(...get, ...place)).out).calculation, { channelName: 'web' })
  const at = join(folder, file)
  const validated = await run('call', 'ProgrammeService/ValidateProgramme', '--document', `@${at}`, ...place)
  t.match(validated.code, 0)
  t.notMatch(validated.out, /no such channel/)
  t.match(await run('validate', file), { code: 0, out: /never applies: there is no such channel/ })
})

t.test('what was answered survives a killed process, with 256 open files too', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lps-kept-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const first = await startService({ folder, env, openFiles: 256 })
  t.match(first.output.join('\n'), /^open files: at most 256/m)
  const ready = () => fetch(`${first.url}/health/ready`, { headers: { connection: 'close' } })
  const answers = await Promise.all(Array.from({ length: 64 }, ready))
  t.same([...new Set(answers.map(({ status }) => status))], [200])
  const basket = aBasket('ben').line({ productId: 'cake', unitPrice: 900 })
  const answer = await first.send('/v1/pos/basket', basket.text())
  const sale = JSON.stringify(aSale(basket.body(), { paidTotal: 700 }))
  await first.send('/v1/pos/sale', sale)
  await first.stop('SIGKILL')
  const second = await startService({ folder, env })
  t.equal((await second.send('/v1/pos/basket', basket.text())).text, answer.text)
  t.equal((await second.send('/v1/pos/sale', sale)).headers['idempotent-replayed'], 'true')
  const next = await second.send('/v1/pos/basket', aBasket('ben').line({ productId: 'cake', unitPrice: 900 }).text())
  t.match(next.json, { status: 'unchanged', reason: 'limit_exhausted' })
  t.equal(await second.stop('SIGINT'), 0, 'SIGINT ends it in order')

  const changed = join(folder, 'changed.json')
  writeFileSync(changed, readFileSync(env.LOYALTY_PROGRAM, 'utf8').replace('"scale": 2', '"scale": 3'))
  const fixed = startService({ folder, env: { ...env, LOYALTY_PROGRAM: changed } })
  await t.rejects(fixed, { message: /currencies\[1\]\.scale: expected 2, as published before, received 3/ })
})

t.test('a start that cannot go on says why in a line that names the setting, and ends', async (t) => {
  const cases = [
    [{ LOYALTY_PROGRAM: join(import.meta.dirname, 'embedded.test.js') }, /LOYALTY_PROGRAM: .* is faulty/],
    [{ LOYALTY_HTTP: '256.1.1.1:80' }, /LOYALTY_HTTP: cannot listen/],
    [
      { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' },
      /DATABASE_URL: .* 127\.0\.0\.1:1 .* unreachable \(.*ECONNREFUSED/,
    ],
    [{ LOYALTY_WORKERS: 'many' }, /LOYALTY_WORKERS: expected/],
  ] as const
  for (const [env, line] of cases) await t.rejects(startService({ env }), { message: line })
})
