import { parseArgs } from 'node:util'
import { newSecret, secretBytes } from '../../gateway/config/secrets.js'
import type { Command } from './command.js'

export const secretNew: Command = {
  name: 'secret new',
  summary: 'make a signing secret',
  help: `lps secret new

Prints a new signing secret: ${secretBytes} random bytes in hex. To swap without a refused call, add it as a
line to LOYALTY_SECRETS_FILE, give it to the POS, and remove the old line when the POS signs with it. A line
revoked:SECRET, or revoked: and the SHA-256 of the secret in hex, ends a secret at once.

  lps secret new >> /run/secrets/loyalty-signing`,
  async run(words, { print }) {
    parseArgs({ args: [...words], options: {} })
    print(newSecret())
    return 0
  },
}
