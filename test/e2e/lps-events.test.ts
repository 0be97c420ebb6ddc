import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { aReceiver, verified } from '../gateway/background/a-receiver.js'
import { until } from '../support/until.js'
import { startService } from './service.js'

const main = join(import.meta.dirname, '..', '..', 'clients', 'lps', 'main.js')
const programmeFile = join(import.meta.dirname, '..', '..', '..', 'test', 'e2e', 'programme.json')
const folder = mkdtempSync(join(tmpdir(), 'lps-events-'))
t.teardown(() => rmSync(folder, { recursive: true }))
t.setTimeout(180_000)

const service = await startService({
  env: {
    LOYALTY_PROGRAM: programmeFile,
    LOYALTY_TOKENS: 'reader:r-token,admin:a-token',
    LOYALTY_WEBHOOK_HTTP: 'allowed',
    LOYALTY_WEBHOOK_NETWORKS: '127.0.0.0/8',
  },
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

const give = (amount: string) =>
  lps('value', 'adjust', '--card', 'anna', '--currency', 'stamps', '--amount', amount, '--reason', 'x')

t.test('a webhook gets what happens, signed with the secret that was shown', async (t) => {
  const receiver = await aReceiver(t)
  const added = await lps('webhook', 'add', receiver.url, '--type', 'value.adjusted')
  t.match(added, { code: 0, out: /^webhook {2}\S{36}\nsecret {3}whsec_\S{44}\n$/ })
  const [, webhook = '', secret = ''] = /(\S{36})\n.*whsec_(\S+)/.exec(added.out) ?? []
  t.match(await give('7'), { code: 0 })
  await until(
    () => receiver.received.length,
    (length) => length > 0,
  )
  t.match(verified(receiver.received[0]!, Buffer.from(secret, 'base64')), {
    type: 'value.adjusted',
    data: { memberId: 'member-1', amount: 7, currencyId: 'stamps' },
  })
  t.match(await lps('webhook', 'list'), { code: 0, out: new RegExp(`^${webhook} .* 0 +0  well +${receiver.url}`, 'm') })
  const event = receiver.received[0]!.headers['webhook-id'] as string
  const again = await until(
    () => lps('webhook', 'redeliver', webhook, event),
    ({ code }) => code === 0,
  )
  t.match(again, { out: '1 event is sent once more\n' })
  await until(
    () => receiver.received.length,
    (length) => length > 1,
  )
  t.equal(receiver.received[1]!.headers['webhook-id'], event)
  t.match(await lps('webhook', 'redeliver', webhook), { out: '0 events are sent once more\n' })
  t.match(await lps('webhook', 'remove', webhook), { code: 0, out: 'the webhook is removed\n' })
  t.match(await lps('webhook', 'list'), { out: '', err: 'there is no webhook\n' })
  const metrics = await (await fetch(`${service.internalUrl}/metrics`)).text()
  t.match(metrics, /loyalty_webhook_deliveries_total\{outcome="delivered"\} [12]/)
})

t.test('events are watched from the beginning, from a cursor, and of a type', async (t) => {
  await give('8')
  const all = await lps('events', 'watch', '--from-beginning', '--count', '2')
  t.match(all, { code: 0, out: /^\S+Z {2}value\.adjusted {2}member-1 {2}\{.*"amount" ?: ?7.*\n.*"amount" ?: ?8/ })
  const first = await lps('events', 'watch', '--from-beginning', '--count', '1', '--json')
  const { cursor, eventId } = JSON.parse(first.out) as { readonly cursor: string; readonly eventId: string }
  t.match(eventId, /^evt_/)
  const next = await lps('events', 'watch', '--cursor', cursor, '--count', '1', '--json')
  t.match(JSON.parse(JSON.parse(next.out).bodyJson), { amount: 8 })
  t.match(await lps('events', 'watch', '--cursor', 'x'), { code: 1, err: /^PAGE_TOKEN_INVALID/ })
  t.match(await lps('events', 'watch', '--type', 'x'), { code: 1, err: /^INVALID_REQUEST/ })
})

t.test('wrong words end with exit code 2', async (t) => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['webhook', 'add'], /expected one URL/],
    [['webhook', 'remove'], /expected one webhook/],
    [['webhook', 'redeliver'], /expected a webhook/],
    [['events', 'watch', '--count', 'x'], /--count: expected a whole number/],
    [['events', 'watch', '--cursor', 'x', '--from-beginning'], /expected either --cursor or/],
  ]
  for (const [words, err] of wrong) t.match(await lps(...words), { code: 2, err }, words.join(' '))
})
