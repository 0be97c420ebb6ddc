import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { type Answer, eventually, type RunningService, startService } from '../e2e/service.js'
import { faultsOfError, secret } from '../gateway/pos/a-listener.js'
import { faultsByDocument } from '../support/openapi-validator.js'
import { aGoodBasket, type BodyRow, withMember } from './body-row.js'
import { schemaRows } from './schema-rows.js'
import { identityRows, moneyRows, textRows } from './text-rows.js'

const path = '/v1/pos/basket'
const receivedCharactersMax = 64
const env = {
  // Nothing here is about lateness, and a machine may be busy with everything else.
  LOYALTY_DEADLINE_MS: '60000',
  LOYALTY_SECRETS: secret,
  LOYALTY_PROGRAM: join(import.meta.dirname, '..', 'e2e', 'programme.json'),
}

t.test(
  'the catalogue of bad input, REST: each case has its answer, nothing refused is stored, and the service lives',
  async (t) => {
    const service = await startService({ env })
    t.teardown(() => service.stop())
    const text = JSON.stringify(aGoodBasket())
    t.equal((await service.send(path, text)).status, 200)
    const counts = {
      'JSON text': await bodies(t, service, textRows()),
      schema: await bodies(t, service, schemaRows()),
      'money and quantity': await bodies(t, service, moneyRows()),
      'ids, members, venues': await bodies(t, service, identityRows()),
      idempotency: await repeats(t, service),
    }
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    t.comment(
      `${total} cases: ${Object.entries(counts)
        .map(([name, count]) => `${name} ${count}`)
        .join(', ')}`,
    )
    const again = await service.send(path, text)
    t.equal(again.headers['idempotent-replayed'], 'true', 'the service still serves')
    t.equal(({} as Record<string, unknown>)['a'], undefined)
    const records = service.output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
    t.same(
      records.filter(({ level }) => level >= 50),
      [],
      'no bug is logged',
    )
    t.equal(await service.stop(), 0)
  },
)

/** Complete, correctly signed bodies with invalid content. */
async function bodies(t: Test, service: RunningService, rows: readonly BodyRow[]): Promise<number> {
  const refusedKeys = new Set<string>()
  const keptKeys = new Set<string>()
  for (const row of rows) {
    const answer = await eventually(() => service.send(row.path, row.bytes, { key: row.key }))
    t.equal(answer.status, row.status, `${row.name}: ${answer.status === row.status ? '' : answer.text.slice(0, 300)}`)
    t.same(faultsByDocument(row.path, answer), [], `${row.name}: by the document`)
    if (answer.status !== 200) t.same(faultsOfBody(answer, row), [], row.name)
    else if (row.holds !== undefined) t.ok(row.holds(answer), `${row.name}: ${answer.text.slice(0, 200)}`)
    if (row.path !== path) continue
    if (answer.status === 200) keptKeys.add(row.key)
    else refusedKeys.add(row.key)
  }
  const stored = await storedOf(
    service,
    [...refusedKeys].filter((key) => !keptKeys.has(key)),
  )
  t.same(stored, [], 'nothing that was refused is stored')
  return rows.length
}

function faultsOfBody(answer: Answer, row: BodyRow): string[] {
  const raw = { status: answer.status, headers: answer.headers as Record<string, string>, body: answer.text }
  const faults = faultsOfError(raw, row.code ?? '')
  if (answer.status === 413) return faults
  const { field, expected, received, faults: listed } = answer.json.error.details ?? {}
  if (answer.status === 400 && JSON.stringify(listed?.[0]) !== JSON.stringify({ field, expected, received }))
    faults.push('the first fault is not the first of the list')
  if (listed?.length > 20) faults.push('more than 20 faults')
  if (row.field !== undefined && field !== row.field) faults.push(`field ${field}`)
  if (typeof field !== 'string' || typeof expected !== 'string' || typeof received !== 'string')
    faults.push('no details')
  else if (Array.from(received).length > receivedCharactersMax) faults.push('repeats too much of the request')
  return faults
}

/** The calculations among these that the service has stored. */
async function storedOf(service: RunningService, keys: readonly string[]): Promise<string[]> {
  const token = service.output.map((line) => /tokens of internal services in (.*)$/.exec(line)?.[1]).find(Boolean)
  const reader = /^reader:(.*)$/m.exec(readFileSync(token!, 'utf8'))![1]!
  const found: string[] = []
  for (const calculationId of keys) {
    const { statusCode, body } = await request(`${service.internalUrl}/loyalty.v1.CalculationService/GetCalculation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${reader}`, 'content-type': 'application/json' },
      body: JSON.stringify({ calculationId }),
    })
    await body.dump()
    if (statusCode !== 404) found.push(`${calculationId}: ${statusCode}`)
  }
  return found
}

/** The same key again: a replay, a conflict, or neither. */
async function repeats(t: Test, service: RunningService): Promise<number> {
  const reordered = (text: string) =>
    JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse()), null, 1)
  const rows: [string, string, (text: string) => string, number][] = [
    ['the same bytes', '"x":1', (text) => text, 200],
    ['members in another order', '"x":1', reordered, 200],
    ['1 and 1.0', '"x":1', (text) => text.replace('"x":1', '"x":1.0'), 200],
    ['1 and 10e-1', '"x":1', (text) => text.replace('"x":1', '"x":10e-1'), 200],
    ['0 and -0', '"x":0', (text) => text.replace('"x":0', '"x":-0'), 200],
    ['an emoji and its escapes', '"x":"\ud83d\ude00"', (text) => text.replace('\ud83d\ude00', '\\ud83d\\ude00'), 200],
    ['/ and \\/', '"x":"/"', (text) => text.replace('"/"', '"\\/"'), 200],
    ['A and \\u0041', '"x":"A"', (text) => text.replace('"A"', '"\\u0041"'), 200],
    ['a name and its escapes', '"x":1', (text) => text.replace('"x"', '"\\u0078"'), 200],
    ['one more space', '"x":1', (text) => ` ${text}`, 200],
    ['1 and 2', '"x":1', (text) => text.replace('"x":1', '"x":2'), 409],
    ['1 and "1"', '"x":1', (text) => text.replace('"x":1', '"x":"1"'), 409],
    ['digits that a double cannot distinguish', '"x":9007199254740993', (text) => text.replace('993', '992'), 409],
    ['absent and null', '"x":1', (text) => text.replace('"x":1', '"x":1,"orderDiscounts":null'), 409],
    ['absent and default', '"x":1', (text) => text.replace('"x":1', '"x":1,"orderDiscounts":[]'), 409],
    ['composed and decomposed letters', '"x":"\u00e9"', (text) => text.replace('\u00e9', 'e\u0301'), 409],
    ['two lists in another order', '"x":[1,2]', (text) => text.replace('[1,2]', '[2,1]'), 409],
  ]
  for (const [name, member, change, status] of rows) {
    const text = withMember(JSON.stringify(aGoodBasket()), member)
    const first = await eventually(() => service.send(path, text))
    t.equal(first.status, 200, name)
    const again = await eventually(() => service.send(path, change(text)))
    t.equal(again.status, status, name)
    if (status === 200) t.equal(again.text, first.text, `${name}: byte for byte`)
    t.equal(again.headers['idempotent-replayed'], status === 200 ? 'true' : undefined, name)
  }
  return rows.length
}
