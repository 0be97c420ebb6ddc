import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../../e2e/service.js'
import { faultyIdentities } from '../../faults/identities.js'
import { faultsOfError } from '../../gateway/pos/a-listener.js'
import type { Fuzzer } from './fuzzer.js'
import { type DrawnBody, drawBody } from './json-grammar.js'

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
