import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { aBasket, aSale } from './basket.js'
import { startService } from './service.js'

const main = join(import.meta.dirname, '..', '..', 'clients', 'lps', 'main.js')
const sample = join(import.meta.dirname, '..', '..', '..', 'test', 'e2e', 'programme.json')
const folder = mkdtempSync(join(tmpdir(), 'lps-return-'))
t.teardown(() => rmSync(folder, { recursive: true }))
t.setTimeout(180_000)

const programme = JSON.parse(readFileSync(sample, 'utf8'))
const rules = [{ ruleId: 'units', currencyId: 'stamps', give: 1, per: { units: 1 } }]
writeFileSync(join(folder, 'programme.json'), JSON.stringify({ ...programme, earning: rules }))
const service = await startService({
  env: { LOYALTY_PROGRAM: join(folder, 'programme.json'), LOYALTY_TOKENS: 'reader:r-token,admin:a-token' },
})
t.teardown(() => service.stop())
writeFileSync(join(folder, 'tokens'), 'reader:r-token\nadmin:a-token\n')

/** Runs a command against the service, with its tokens. */
function lps(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const place = ['--internal', service.internalUrl, '--token-file', 'tokens']
  return new Promise((resolve) => {
    execFile(process.execPath, [main, 'return', ...words, ...place], { cwd: folder }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

/** A sale of three coffees, 10 % off, and half a kilo of tea. */
async function aSoldBasket(): Promise<string> {
  const basket = aBasket('ben')
    .line({ productId: 'coffee', quantity: 3, unitPrice: 450 })
    .line({ productId: 'tea', quantity: 0.5, unitPrice: 2_000 })
    .body()
  for (const [path, body] of [
    ['/v1/pos/basket', basket],
    ['/v1/pos/sale', aSale(basket, { paidTotal: 2_215 })],
  ] as const) {
    const answer = await service.send(path, JSON.stringify(body))
    if (answer.status !== 200) throw new Error(answer.text)
  }
  return String(basket['calculationId'])
}

t.test('a sale is shown, a return is quoted, recorded once, and listed', async (t) => {
  const sale = await aSoldBasket()
  t.match(await lps('ladder', sale), {
    code: 0,
    out: /^line +bought +returned +paid +refunded\nline-1 +3 +0 +1215 +0\nline-2 +0\.5 +0 +1000 +0\n$/,
  })
  t.match(await lps('quote', sale, 'line-1=2', 'line-2=0.125'), {
    code: 0,
    out: 'refund 1060\nif what is kept were priced anew 1060\ntaken back 2 stamps\n',
  })
  const words = ['record', sale, 'line-1=2', 'line-2=0.125', '--reference', 'note-1']
  for (const times of [1, 2]) {
    t.match(await lps(...words), { code: 0, out: /^refund 1060\n/ }, String(times))
  }
  t.match(await lps('record', sale, 'line-1=1', '--reference', 'note-1'), { code: 1, err: /^REQUEST_ID_CONFLICT/ })
  t.match(await lps('record', sale, 'line-1=2', '--reference', 'note-2'), { code: 1, err: /at most 1000/ })
  t.match(await lps('ladder', sale, '--json'), { code: 0, out: /"returnedThousandths":"2000"/ })
  t.match(await lps('list', sale), { code: 0, out: /note-1 +2 of line-1, 0\.125 of line-2 +1060 +2 stamps/ })
  const listed = await lps('list', '--from', '2020-01-01T00:00:00Z', '--json')
  t.match(JSON.parse(listed.out), { reference: 'note-1', refund: '1060', takenBack: [{ currencyId: 'stamps' }] })
})

t.test('wrong words are explained', async (t) => {
  t.match(await lps('ladder', randomUUID()), { code: 1, err: /^CALCULATION_NOT_FOUND/ })
  t.match(await lps('quote', 'x'), { code: 2, err: /expected a calculation and one LINE=QUANTITY or more/ })
  t.match(await lps('quote', 'x', 'line-1'), { code: 2, err: /LINE=QUANTITY such as line-1=2/ })
  t.match(await lps('record', 'x', 'line-1=1'), { code: 2, err: /--reference is missing/ })
  t.match(await lps('list', randomUUID()), { code: 0, err: 'nothing was returned\n' })
})
