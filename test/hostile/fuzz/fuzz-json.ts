import { setTimeout as sleep } from 'node:timers/promises'
import type { BasketBody } from '../../e2e/basket.js'
import type { Answer } from '../../e2e/service.js'
import { faultyIdentities } from '../../faults/history.js'
import { faultsOfError } from '../../gateway/pos/a-listener.js'
import type { Dice } from '../../support/dice.js'
import { aGoodBasket, aGoodSale } from '../body-row.js'
import type { Fuzzer } from './fuzzer.js'

const codes: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid_request'],
  409: ['idempotency_conflict'],
  422: ['too_many_lines', 'venue_not_configured', 'unknown_currency', 'arithmetic_mismatch'],
}
const pauseMs = 100

/** JSON bodies from a grammar, correctly signed: each gets an answer of the contract, and foreign members come back as written. */
export const fuzzJson: Fuzzer = {
  name: 'json',
  atOnce: 16,
  async open({ service }) {
    return {
      async one(index, dice, tally) {
        const drawn = drawBody(dice)
        const send = () => service.send(drawn.path, drawn.bytes, { key: drawn.key })
        // An idle connection may end just then, as after a machine that slept; a dead service refuses the second attempt too.
        const again = () => {
          tally.count('connection gone, and again')
          return send()
        }
        let answer = await send().catch(again)
        while (answer.status === 503) {
          tally.count('503 and again')
          await sleep(pauseMs)
          answer = await send().catch(again)
        }
        tally.count(`${answer.status}`)
        for (const fault of faultsOf(drawn, answer)) tally.fault(index, fault)
      },
      async close() {},
    }
  },
}

function faultsOf({ foreign }: DrawnBody, { status, headers, text, json }: Answer): string[] {
  if (status !== 200) {
    const code = String(json.error?.code)
    const known = codes[status]?.includes(code) ? [] : [`${status} ${code}`]
    const sound = foreign === null ? [] : [`a sound basket is refused: ${text.slice(0, 200)}`]
    return [
      ...known,
      ...sound,
      ...faultsOfError({ status, headers: headers as Record<string, string>, body: text }, code),
    ]
  }
  if (foreign === null) return []
  const lost = foreign.filter((member) => !text.includes(member)).map((member) => `lost ${member.slice(0, 80)}`)
  return [...lost, ...(json.status === 'applied' ? [] : [`outcome ${json.status}`]), ...faultyIdentities(json.basket)]
}

/** A drawn body and its properties. */
export interface DrawnBody {
  readonly path: '/v1/pos/basket' | '/v1/pos/sale'
  readonly key: string
  readonly bytes: Buffer
  /** Members of the POS's own, as written: the answer to a sound body must contain each of them. Null: the body may be unsound. */
  readonly foreign: readonly string[] | null
}

/** Draws a body: a sound basket full of foreign members, one with invalid values, or one with broken text. */
function drawBody(dice: Dice): DrawnBody {
  const kind = dice.next()
  if (kind < 0.2) return soundBasket(dice)
  const isSale = dice.chance(0.15)
  const body = isSale ? aGoodSale() : aGoodBasket()
  const path = isSale ? '/v1/pos/sale' : '/v1/pos/basket'
  const key = body['calculationId'] as string
  const text = kind < 0.7 ? spoilt(dice, body) : JSON.stringify(body)
  const bytes = Buffer.from(text)
  return { path, key, bytes: kind < 0.7 ? bytes : broken(dice, bytes), foreign: null }
}

function soundBasket(dice: Dice): DrawnBody {
  const body = aGoodBasket()
  const foreign: string[] = []
  let text = JSON.stringify(body)
  const places = ['{', '"context":{', '"lines":[{', '"totals":{']
  for (let count = dice.between(1, 6); count > 0; count -= 1) {
    const member = `"f${count}${drawText(dice, 6)}":${drawValue(dice, dice.between(0, 6))}`
    const place = dice.pick(places)
    text = text.replace(place, () => `${place}${member},`)
    foreign.push(member)
  }
  return { path: '/v1/pos/basket', key: body['calculationId'] as string, bytes: Buffer.from(text), foreign }
}

/** Removes values, replaces them, adds members with names of the contract. */
function spoilt(dice: Dice, body: BasketBody): string {
  const holes = new Map<string, string>()
  for (let count = dice.between(1, 4); count > 0; count -= 1) {
    const holder = drawHolder(dice, body)
    const names = Object.keys(holder)
    const name = dice.chance(0.15) ? dice.pick(ownNames) : dice.pick(names.length > 0 ? names : ownNames)
    if (dice.chance(0.25)) {
      delete holder[name]
      continue
    }
    const hole = `@hole-${holes.size}@`
    holes.set(`"${hole}"`, drawValue(dice, dice.between(0, 4)))
    if (Array.isArray(holder)) holder.push(hole)
    else holder[name] = hole
  }
  let text = JSON.stringify(body)
  for (const [hole, value] of holes) text = text.replace(hole, () => value)
  return text
}

const ownNames = [
  ...['calculationId', 'supersedesCalculationId', 'loyaltyId', 'currency', 'requestedAt', 'context', 'lines', 'totals'],
  ...[
    'orderDiscounts',
    'discounts',
    'orderDiscountAllocations',
    'percentage',
    'amount',
    'type',
    'quantity',
    'unitPrice',
  ],
  ...['overrideUnitPrice', 'parentLineId', 'splitFromLineId', 'addedByLoyalty', 'status', 'failureReason', 'paidTotal'],
  ...['__proto__', 'constructor', 'toString', ''],
]

// biome-ignore lint/suspicious/noExplicitAny: any object or list of a body
function drawHolder(dice: Dice, value: any): any {
  const inner = Object.values(value).filter((each) => typeof each === 'object' && each !== null)
  return inner.length === 0 || dice.chance(0.4) ? value : drawHolder(dice, dice.pick(inner))
}

/** Cuts, doubles, flips and inserts bytes. */
function broken(dice: Dice, bytes: Buffer): Buffer {
  let out = bytes
  for (let count = dice.between(1, 3); count > 0; count -= 1) {
    const at = dice.between(0, out.length)
    const end = Math.min(out.length, at + dice.between(0, dice.chance(0.1) ? out.length : 8))
    const between = dice.pick([
      Buffer.alloc(0),
      Buffer.from([dice.between(0, 255)]),
      Buffer.from(dice.pick(tokens)),
      Buffer.concat([out.subarray(at, end), out.subarray(at, end)]),
    ])
    out = Buffer.concat([out.subarray(0, at), between, out.subarray(end)])
  }
  return out
}

const tokens = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u',
  '\\ud800',
  'null',
  'true',
  '-',
  '1e',
  '0',
  '\n',
  '\ufeff',
  '/*',
  "'",
  'NaN',
  '[[[[[[[[',
  '{"a":',
]

/** Any JSON value in any spelling. */
function drawValue(dice: Dice, levels: number): string {
  const space = () => (dice.chance(0.2) ? dice.pick([' ', '\n', '\t', '  \r\n']) : '')
  if (levels > 0 && dice.chance(0.6)) {
    const count = dice.between(0, 4)
    if (dice.chance(0.5)) {
      return `[${space()}${Array.from({ length: count }, () => drawValue(dice, levels - 1)).join(`${space()},${space()}`)}]`
    }
    const members = Array.from(
      { length: count },
      (_, at) => `"${at}${drawText(dice, 4)}"${space()}:${space()}${drawValue(dice, levels - 1)}`,
    )
    return `{${members.join(`${space()},`)}${space()}}`
  }
  const kind = dice.between(0, 9)
  if (kind < 4) return drawNumber(dice)
  if (kind < 7) return `"${drawText(dice, dice.chance(0.05) ? 2_000 : 12)}"`
  return dice.pick(['null', 'true', 'false', '{}', '[]', '""'])
}

function drawNumber(dice: Dice): string {
  const digits = (count: number) => Array.from({ length: count }, () => dice.between(0, 9)).join('')
  const sign = dice.chance(0.3) ? '-' : ''
  const whole = dice.chance(0.3)
    ? '0'
    : `${dice.between(1, 9)}${digits(dice.chance(0.1) ? dice.between(1, 60) : dice.between(0, 6))}`
  const fraction = dice.chance(0.3) ? `.${digits(dice.between(1, 8))}` : ''
  const exponent = dice.chance(0.2)
    ? `${dice.pick(['e', 'E'])}${dice.pick(['', '+', '-'])}${dice.pick(['0', '1', '3', '17', '400', '999999999'])}`
    : ''
  return `${sign}${whole}${fraction}${exponent}`
}

/** The inside of a string: letters, escapes, lone surrogates. */
function drawText(dice: Dice, length: number): string {
  const pieces = [
    'a',
    'B',
    '7',
    ' ',
    '\u00e9',
    '\u20ac',
    '\ud83d\ude00',
    '\u202e',
    '\u200b',
    '\u007f',
    '\\n',
    '\\"',
    '\\\\',
    '\\/',
    '\\u0000',
    '\\u0041',
    '\\ud83d\\ude00',
    '\\udfff',
    '{',
    '}',
    '[',
    ',',
    ':',
  ]
  return Array.from({ length: dice.between(0, length) }, () => dice.pick(pieces)).join('')
}
