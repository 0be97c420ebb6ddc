import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { objectFromJson } from '../pos-js/calculate.js'
import { signBody } from '../pos-js/sign.js'
import { type Command, WrongUse } from './command.js'
import { findService, serviceHelp, serviceOptions } from './find-service.js'

export const sign: Command = {
  name: 'sign',
  summary: 'a signed curl command for a basket or a sale event',
  help: `lps sign FILE

Prints a curl command that sends FILE, signed now: it is valid for 300 seconds. A body with lines goes to the basket
endpoint, any other to the sale endpoint.

  lps sign basket.json | sh

${serviceHelp}`,
  async run(words, { print }) {
    const { values, positionals } = parseArgs({ args: [...words], options: serviceOptions, allowPositionals: true })
    const [file, ...others] = positionals
    if (file === undefined || others.length > 0) throw new WrongUse('expected one file')
    const body = readBody(file)
    const service = findService(values)
    const value = objectFromJson(body.toString('utf8'))
    const key = value?.['calculationId']
    if (typeof key !== 'string') throw new WrongUse(`${file}: expected a JSON object with a calculationId`)
    const path = value !== null && 'lines' in value ? '/v1/pos/basket' : '/v1/pos/sale'
    print(`curl -sS ${quoted(`${service.url}${path}`)} \\
  -H 'Content-Type: application/json' \\
  -H ${quoted(`Idempotency-Key: ${key}`)} \\
  -H ${quoted(`POS-Signature: ${signBody(body, service.secret, new Date())}`)} \\
  --data-binary ${quoted(`@${file}`)}`)
    return 0
  },
}

function readBody(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new WrongUse(`${file}: expected a file that can be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** A text quoted as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
