import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PosBasket } from '../pos-js/basket.js'
import type { AnswerInCase, ScriptedAnswer } from './cases.js'
import { type AnswerParts, fitChange } from './fit-change.js'

export interface Answered extends ScriptedAnswer {
  readonly basket: PosBasket | null
}

export function answerToBasket(answer: AnswerInCase, sent: PosBasket, parts: AnswerParts): Answered {
  const { json, text, change, more, ...how } = answer
  const { calculationId } = sent
  if (change === undefined) return { ...how, body: text ?? JSON.stringify({ calculationId, ...json }), basket: null }
  const basket = fitChange(change, sent, parts)
  return { ...how, body: JSON.stringify({ calculationId, status: 'applied', basket, ...more }), basket }
}

export function answerToSale({ json, text, ...how }: AnswerInCase, calculationId: string): ScriptedAnswer {
  return { ...how, body: text ?? JSON.stringify({ calculationId, ...json }) }
}

/** Pause between the bytes of an answer in `drip`, and before a cut, in milliseconds. */
const dripMs = 50
const cutMs = 20

export async function giveAnswer(response: ServerResponse, answer: ScriptedAnswer): Promise<void> {
  const { status = 200, headers, body, delayMs, half } = answer
  if (delayMs !== undefined) await sleep(delayMs)
  if (answer.cut === true) return void response.socket?.destroy()
  if (answer.raw !== undefined) return void response.socket?.end(answer.raw)
  const bytes = Buffer.from(body)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length, ...headers })
  if (half === undefined) return void response.end(bytes)
  const middle = bytes.length >> 1
  response.write(bytes.subarray(0, middle))
  if (half === 'cut') {
    await sleep(cutMs)
    response.destroy()
  }
  for (let at = middle; half === 'drip' && at < bytes.length && !response.destroyed; at++) {
    response.write(bytes.subarray(at, at + 1))
    await sleep(dripMs)
  }
}
