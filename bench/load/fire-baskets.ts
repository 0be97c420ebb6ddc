import { Pool } from 'undici'
import type { PosBasket } from '../pos/basket.js'
import { objectFromJson } from '../pos/calculate.js'
import type { Service } from '../pos/call.js'
import { problemsOf } from '../pos/check-basket.js'
import { signBody } from '../pos/sign.js'
import type { Loaded } from './baskets.js'
import type { Shot } from './plan-load.js'

/** Connections that the generator opens at most. */
const connectionsMax = 256
/** Until an answer is given up, in milliseconds: far beyond the POS's 500, so that a slow one is measured and not cut off. */
const patienceMs = 20_000
/** Answers checked in full each second at most; checking costs the generator's own time. */
const checkedPerSecond = 100

export interface Firing {
  readonly fire: (shot: Shot) => Promise<string>
  /** What was wrong with answers: the first of every outcome that is an error. */
  readonly problems: ReadonlyMap<string, string>
  close(): Promise<void>
}

/** Sends signed baskets over kept connections and says what came back: a status of the contract, or what was wrong. */
export function createFiring(service: Service, rate: number, load: (shot: Shot) => Loaded): Firing {
  const pool = new Pool(service.url, {
    connections: connectionsMax,
    headersTimeout: patienceMs,
    bodyTimeout: patienceMs,
  })
  const problems = new Map<string, string>()
  const every = Math.max(1, Math.ceil(rate / checkedPerSecond))
  let fired = 0
  const fire = async (shot: Shot): Promise<string> => {
    const loaded = load(shot)
    const isChecked = fired++ % every === 0
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/v1/pos/basket',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': loaded.calculationId,
        'pos-signature': signBody(loaded.body, service.secret, new Date()),
      },
      body: loaded.body,
    })
    const text = await body.text()
    const { outcome, problem } = outcomeOf(statusCode, text, isChecked ? loaded : null)
    if (problem !== null && !problems.has(outcome)) problems.set(outcome, problem)
    return outcome
  }
  return { fire, problems, close: () => pool.close() }
}

function outcomeOf(status: number, text: string, checked: Loaded | null): { outcome: string; problem: string | null } {
  if (status !== 200) return { outcome: `http_${status}`, problem: text.slice(0, 200) }
  const word = /"status":"(\w+)"/.exec(text.slice(0, 200))?.[1] ?? 'invalid'
  if (checked === null || word !== 'applied') return { outcome: word, problem: null }
  const sent = JSON.parse(checked.body) as PosBasket
  const [problem] = problemsOf(objectFromJson(text)?.['basket'], sent, checked.venue)
  return problem === undefined ? { outcome: word, problem: null } : { outcome: 'invalid', problem }
}
