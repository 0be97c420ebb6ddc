import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ScriptedAnswer } from './cases.js'

/** Pause between the bytes of an answer that drips, and before a cut, in milliseconds. */
const dripMs = 50
const cutMs = 20

/** Answers one request as the script says; resolves once nothing more comes from here. */
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
