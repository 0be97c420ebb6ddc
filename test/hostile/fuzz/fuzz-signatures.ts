import { createHmac, randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { signature } from '../../e2e/service.js'
import type { Dice } from '../../support/dice.js'
import { signatureOf } from '../../support/sign.js'
import { aGoodBasket } from '../body-row.js'
import type { Fuzzer } from './fuzzer.js'

const path = '/v1/pos/basket'

/** Valid calls with a changed POS-Signature or body: refused, unless the result is valid by the contract itself. */
export const fuzzSignatures: Fuzzer = {
  name: 'signatures',
  atOnce: 32,
  async open({ service: { url, secret } }) {
    const pool = new Pool(url, { connections: 32 })
    const good = aGoodBasket()
    const key = good['calculationId'] as string
    const text = Buffer.from(JSON.stringify(good))
    return {
      async one(index, dice, tally) {
        const t = Math.floor(Date.now() / 1000)
        const isHeader = dice.chance(0.7)
        const header = isHeader ? mutatedHeader(dice, { t, text, secret }) : signature(secret, t, text)
        const body = isHeader ? text : mutatedBody(dice, text)
        const answer = await pool.request({
          path,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'idempotency-key': key,
            'x-request-id': randomUUID(),
            'pos-signature': header,
          },
          body,
        })
        const said = await answer.body.text()
        const isRight = holds(header, body, secret)
        tally.count(isRight ? `right ${answer.statusCode}` : `${answer.statusCode}`)
        if (isRight === (answer.statusCode === 401)) {
          tally.fault(
            index,
            `${answer.statusCode} to ${isRight ? 'a right' : 'a forged'} ${JSON.stringify(header)}: ${said.slice(0, 120)}`,
          )
        }
      },
      close: () => pool.destroy(),
    }
  },
}

interface Right {
  readonly t: number
  readonly text: Buffer
  readonly secret: string
}

function mutatedHeader(dice: Dice, { t, text, secret }: Right): string {
  const right = signature(secret, t, text)
  const digest = right.slice(right.indexOf('v1=') + 3)
  const digit = () => dice.pick([...'0123456789abcdef'])
  switch (dice.between(0, 11)) {
    case 0:
      return `t=${t},v1=${flipped(dice, digest)}`
    case 1:
      return `t=${t + dice.pick([-1, 1, 301, -301, 1_000_000])},v1=${digest}`
    case 2:
      return signature(secret, t + dice.pick([-3_600, -400, 400, 3_600, 1e9]), text)
    case 3:
      return signature(dice.pick([`${secret}\n`, '', secret.toUpperCase(), secret.slice(1), ` ${secret}`]), t, text)
    case 4:
      return `t=${t},v1=${createHmac(dice.pick(['sha1', 'sha512', 'md5', 'sha384']), secret)
        .update(`${t}.`)
        .update(text)
        .digest('hex')
        .slice(0, 64)}`
    case 5:
      return `t=${t},v1=${Array.from({ length: dice.between(0, 70) }, digit).join('')}`
    case 6:
      return Array.from({ length: dice.between(1, 10) }, () => `v1=${flipped(dice, digest)}`)
        .concat(`t=${t}`)
        .join(',')
    case 7:
      return right.replace(
        digest,
        dice.pick([digest.slice(0, -1), `${digest}0`, digest.slice(0, 32), '', `0x${digest}`]),
      )
    case 8:
      return right.replace(
        `t=${t}`,
        `t=${dice.pick([`+${t}`, `-${t}`, ` ${t}`, `${t}.0`, `0x${t.toString(16)}`, `${t}e0`, '', `${t}${t}`])}`,
      )
    default:
      return edited(dice, right)
  }
}

/** Inserts, removes or changes one to three characters. */
function edited(dice: Dice, header: string): string {
  const characters = [...'0123456789abcdefABCDEFtv1=,;= \t"\'%.-_x', '\u00ff', '\u0080', ',v1=', ',t=', 't=', ',,']
  let out = header
  for (let count = dice.between(1, 3); count > 0; count -= 1) {
    const at = dice.between(0, out.length)
    out = out.slice(0, at) + (dice.chance(0.7) ? dice.pick(characters) : '') + out.slice(at + dice.between(0, 2))
  }
  return out
}

/** Another digit in at least one place. */
function flipped(dice: Dice, digest: string): string {
  const at = dice.between(0, digest.length - 1)
  const other = [...'0123456789abcdef'].filter((each) => each !== digest[at])
  return digest.slice(0, at) + dice.pick(other) + digest.slice(at + 1)
}

function mutatedBody(dice: Dice, text: Buffer): Buffer {
  const out = Buffer.from(text)
  const at = dice.between(0, out.length - 1)
  switch (dice.between(0, 3)) {
    case 0:
      out[at] = out[at]! ^ (1 << dice.between(0, 7))
      return out
    case 1:
      return Buffer.concat([out.subarray(0, at), Buffer.from([dice.between(0, 255)]), out.subarray(at)])
    case 2:
      return Buffer.concat([out.subarray(0, at), out.subarray(at + 1)])
    default:
      return Buffer.concat([Buffer.from(dice.pick([' ', '\ufeff', '\n'])), out])
  }
}

/** True when a header signs a body, derived from the contract (5; wire decisions 3) and independent of the product. */
function holds(header: string, body: Buffer, secret: string): boolean {
  const value = header.replace(/^[ \t]+|[ \t]+$/g, '')
  const parts = value.split(',').map((part) => /^([^=]+)=(.*)$/.exec(part))
  if (value.length > 4_096 || /[^\x21-\x7e]/.test(value) || parts.includes(null)) return false
  const of = (name: string) => parts.filter((part) => part![1] === name).map((part) => part![2]!)
  const [times, digests] = [of('t'), of('v1')]
  if (times.length !== 1 || !/^\d{1,12}$/.test(times[0]!)) return false
  if (digests.length < 1 || digests.length > 8 || !digests.every((each) => /^[0-9a-f]{64}$/i.test(each))) return false
  const right = signatureOf(secret, times[0]!, body)
  return digests.some((each) => each.toLowerCase() === right) && Math.abs(Date.now() / 1000 - Number(times[0])) <= 300
}
