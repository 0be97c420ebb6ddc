import type { Command } from 'commander'
import { signBody } from '../pos-js/call.js'
import { authorityFile } from './authority.js'
import { findPartner, type PartnerOptions, readPartnerBody, withPartner } from './partner.js'
import { exits, print } from './screen.js'

export function addSign(program: Command): void {
  const command = program
    .command('sign <file>')
    .summary('a signed curl command for a basket, a sale event or a return')
    .description(`Prints a curl command that sends FILE, signed now: it is valid for 300 seconds. A body with a returnId goes to
the return endpoint, another with lines to the basket endpoint, any other to the sale endpoint.

  lps sign basket.json | sh`)
    .option('--headers', 'prints the headers alone, one a line, to compare with those that a POS sends')
  withPartner(command).action(
    exits(async (file: string, { headers: onlyHeaders, ...named }: PartnerOptions & { readonly headers?: boolean }) => {
      const { body, key, path } = readPartnerBody(file)
      const service = findPartner(named)
      const headers = [
        'Content-Type: application/json',
        `Idempotency-Key: ${key}`,
        `POS-Signature: ${signBody(body, service.secret, new Date())}`,
      ]
      if (onlyHeaders) headers.forEach(print)
      else {
        const authority = authorityFile()
        const trust = authority !== null && service.url.startsWith('https:') ? [`--cacert ${quoted(authority)}`] : []
        const words = [quoted(`${service.url}${path}`), ...trust, ...headers.map((header) => `-H ${quoted(header)}`)]
        print([`curl -sS ${words[0]}`, ...words.slice(1), `--data-binary ${quoted(`@${file}`)}`].join(' \\\n  '))
      }
      return 0
    }),
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
