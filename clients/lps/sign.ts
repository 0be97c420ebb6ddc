import { parseArgs } from 'node:util'
import { signBody } from '../pos-js/sign.js'
import { authorityFile, authorityHelp } from './authority.js'
import type { Command } from './command.js'
import { onlyWord } from './files.js'
import { findService, serviceHelp, serviceOptions } from './find-service.js'
import { readPartnerBody } from './partner-body.js'

export const sign: Command = {
  name: 'sign',
  summary: 'a signed curl command for a basket or a sale event',
  help: `lps sign FILE

Prints a curl command that sends FILE, signed now: it is valid for 300 seconds. A body with lines goes to the basket
endpoint, any other to the sale endpoint.

  lps sign basket.json | sh

  --headers           prints the headers alone, one a line, to compare with those that a POS sends
${serviceHelp}
${authorityHelp}`,
  async run(words, { print }) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const file = onlyWord(positionals, 'one file')
    const { body, calculationId, path } = readPartnerBody(file)
    const service = findService(values)
    const headers = [
      'Content-Type: application/json',
      `Idempotency-Key: ${calculationId}`,
      `POS-Signature: ${signBody(body, service.secret, new Date())}`,
    ]
    if (values.headers) for (const header of headers) print(header)
    else {
      const authority = authorityFile()
      const trust = authority !== null && service.url.startsWith('https:') ? [`--cacert ${quoted(authority)}`] : []
      const words = [quoted(`${service.url}${path}`), ...trust, ...headers.map((header) => `-H ${quoted(header)}`)]
      print([`curl -sS ${words.join(' \\\n  ')}`, `--data-binary ${quoted(`@${file}`)}`].join(' \\\n  '))
    }
    return 0
  },
}

const options = { ...serviceOptions, headers: { type: 'boolean' } } as const

/** A text quoted as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
