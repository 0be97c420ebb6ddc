import { execFile } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { PosBasket } from '../../clients/pos-js/basket.js'
import { type Answer, answerJson, createFakeService, discounted } from './fake-service.js'

const main = join(import.meta.dirname, '..', '..', 'clients', 'demo', 'main.js')
const secret = 'a secret of the environment'

interface Shown {
  readonly code: number
  readonly out: string
  readonly err: string
}

function demo(words: readonly string[], env: Record<string, string> = {}): Promise<Shown> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...words], { env: { PATH: process.env['PATH'], ...env } }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

/** Plays the service: stores answers by key, as the real one does. */
function goodService(): Answer {
  const answers = new Map<string, unknown>()
  return (seen, response) => {
    if (seen.path === '/health/live') return answerJson(response, 200, { status: 'live' })
    if (!seen.signed)
      return answerJson(response, 401, { error: { code: 'invalid_signature', message: 'does not verify' } })
    const key = `${seen.path} ${seen.headers['idempotency-key']}`
    const replayed = answers.has(key)
    const sent = JSON.parse(seen.body)
    const answer = seen.path.endsWith('return')
      ? { returnId: sent.returnId, result: 'recorded', refund: 3_120, lines: [], takenBack: 0, givenBack: 0 }
      : seen.path.endsWith('sale')
        ? { calculationId: sent.calculationId, result: 'recorded' }
        : { calculationId: sent.calculationId, status: 'applied', basket: discounted(sent as PosBasket) }
    answers.set(key, answer)
    return answerJson(response, 200, answer, {
      'Server-Timing': 'app;dur=1.5',
      ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    })
  }
}

async function shown(t: Test, words: readonly string[]) {
  const service = await createFakeService(secret, goodService())
  t.teardown(() => service.close())
  const all = await demo(['--url', service.url, '--secret', secret, ...words])
  const sent = service.seen.filter((seen) => seen.path.startsWith('/v1')).map((seen) => JSON.parse(seen.body))
  return { ...all, sent }
}

t.test('the demo shows the receipt before and after, pays and prints the end', async (t) => {
  const { code, out, sent } = await shown(t, ['--lines', '2xcappuccino,bottle-deposit'])
  t.equal(code, 0)
  t.match(out, /Total +NOK 106\.00/)
  t.match(out, /20 % +-20\.80/)
  t.match(out, /Total +NOK 85\.20/)
  t.match(out, /Saved +20\.80/)
  t.match(out, /200 applied: recorded/)
  t.notOk(out.includes('\u001b'), 'no colours without a terminal')
  t.match(sent, [
    { loyaltyId: 'LOY-ANNA', context: { venueId: 'oslo-cafe' } },
    { status: 'applied', paidTotal: 8520, loyaltyDiscountTotal: 2080 },
  ])
})

t.test('--change supersedes, --twice replays, --cancel charges nothing', async (t) => {
  const { code, out, sent } = await shown(t, ['--change', '--twice', '--cancel', '--member', 'bjorn'])
  t.equal(code, 0)
  t.equal(out.match(/replayed, byte for byte the same/g)?.length, 3)
  t.equal(sent.length, 6)
  t.equal(sent[2].supersedesCalculationId, sent[0].calculationId)
  t.match(sent[5], { status: 'cancelled', calculationId: sent[2].calculationId })
})

t.test('--return brings a piece back', async (t) => {
  const { code, out, sent } = await shown(t, ['--return', '--lines', '2xcappuccino,bottle-deposit'])
  t.equal(code, 0)
  t.match(out, /200 recorded .*\n +NOK 31\.20 refunded\./)
  t.match(sent[2], { calculationId: sent[0].calculationId, lines: [{ lineId: sent[0].lines[0].lineId, quantity: 1 }] })
})

t.test('--lines also takes a number, and --member any text', async (t) => {
  const { sent } = await shown(t, ['--lines', '20', '--member', 'TEST-20-PERCENT'])
  t.equal(sent[0].lines.length, 20)
  t.equal(sent[0].loyaltyId, 'TEST-20-PERCENT')
  t.notOk('loyaltyId' in (await shown(t, ['--member', 'none'])).sent[0])
})

t.test('without a service the demo prints how to start one', async (t) => {
  const service = await createFakeService(secret, () => {})
  await service.close()
  const { code, err } = await demo(['--url', service.url, '--secret', secret])
  t.equal(code, 1)
  t.match(err, /npm start/)
})

t.test('a wrong secret is shown with the service’s own message, and fails', async (t) => {
  const service = await createFakeService('another secret', goodService())
  t.teardown(() => service.close())
  const { code, out } = await demo(['--url', service.url], { LOYALTY_SECRETS: 'old,new' })
  t.equal(code, 1)
  t.match(out, /401 failed: http_error, 401 invalid_signature/)
})

t.test('wrong words are reported in one sentence', async (t) => {
  for (const [words, sentence] of [
    [['--colour'], /--colour/],
    [['--venue', 'mars'], /oslo-cafe/],
    [['--lines', '2xunicorn'], /does not sell "unicorn"; it sells espresso/],
    [['--lines', '0xespresso'], /nothing/],
    [['--lines', '1.2345xespresso'], /does not sell/],
    [['--lines', '0'], /1 to 1000/],
  ] as const) {
    const { code, err } = await demo(words)
    t.equal(code, 2, words.join(' '))
    t.match(err, sentence)
  }
  t.match(await demo(['--help']), { code: 0, out: /--change/ })
})
