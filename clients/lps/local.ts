import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { newSecret, secretBytes } from '../../gateway/config/secrets.js'
import { partnerKey } from '../../gateway/pos/partner/access.js'
import { createMemberMark } from '../../gateway/telemetry/pseudonym.js'
import { exits, print, WrongUse } from './screen.js'

export function addLocal(program: Command): void {
  program
    .command('secret')
    .description('signing secrets')
    .command('new')
    .summary('make a signing secret')
    .description(`Prints a new signing secret: ${secretBytes} random bytes in hex. To swap without a refused call, add it as a line to
LOYALTY_SECRETS_FILE, give it to the POS, and remove the old line when the POS signs with it. A line revoked:SECRET, or revoked: and the
SHA-256 of the secret in hex, ends a secret at once.

  lps secret new >> /run/secrets/loyalty-signing`)
    .action(() => print(newSecret()))
  program
    .command('partner-key <venueId>')
    .summary("a venue's key for the partner page")
    .description(`Prints the key with which the POS developer of a venue signs in to the partner page. Reads LOYALTY_PARTNER_KEY, which must be the
same as on the gateways, else the file that staging writes to its data folder. The same venue always has the same key; another
LOYALTY_PARTNER_KEY ends all keys and sessions.

  lps partner-key oslo-cafe`)
    .action(
      exits(async (venueId: string) => {
        print(partnerKey(rootKey(), venueId))
        return 0
      }),
    )
  program
    .command('log-member <loyaltyId>')
    .summary("a member's pseudonym in the log")
    .description(`Prints the pseudonym of a member in the log: the \`member\` of its records on one day. Reads LOYALTY_LOG_KEY, which must be the same
as on the gateways.

  grep "$(lps log-member 4711)" loyalty.log`)
    .option('--day <day>', 'such as 2026-11-21, UTC. Default: today')
    .action(
      exits(async (loyaltyId: string, options: { readonly day?: string }) => {
        const key = process.env['LOYALTY_LOG_KEY']
        if (!key)
          throw new WrongUse('LOYALTY_LOG_KEY is not set: without it every start of a gateway has a key of its own')
        const { day = new Date().toISOString().slice(0, 10) } = options
        const atMs = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
        if (Number.isNaN(atMs)) throw new WrongUse('--day: expected a day such as 2026-11-21')
        print(createMemberMark(key, () => atMs)(loyaltyId))
        return 0
      }),
    )
}

function rootKey(): string {
  const { env } = process
  const file = env['LOYALTY_PARTNER_KEY_FILE'] || join(env['LOYALTY_DATA'] || '.data', 'partner-key')
  const key = env['LOYALTY_PARTNER_KEY'] || (existsSync(file) ? readFileSync(file, 'utf8').trim() : '')
  if (key === '') throw new WrongUse(`LOYALTY_PARTNER_KEY is not set, and there is no key in ${file}`)
  return key
}
