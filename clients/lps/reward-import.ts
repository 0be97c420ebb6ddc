import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { RewardService } from '../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { untilReached } from './attempts.js'
import { type Command, WrongUse } from './command.js'
import { onlyWord, readText } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained, violationsOf } from './internal.js'
import { uuidOfText } from './uuid-of-text.js'
import { amountFrom, dated, momentFrom, required } from './value-words.js'

/** Codes per call at most, the service's own limit. */
const batchMax = 1_000

export const rewardImport: Command = {
  name: 'reward import',
  summary: 'import codes that members may claim',
  help: `lps reward import FILE --currency ID --amount N

Imports the codes of a text file, one a line, in batches of at most ${batchMax}, each whole or not at all. A code is imported once, for ever.
After an interruption, run the same command again within 7 days: batches that are imported are passed over.

  --currency ID       as in the programme
  --amount N          what each code gives, in the smallest unit, 1 or more
  --expires TIME      when the codes, and what they give, expire. Default: never
${internalHelp}

Exit code 0: all codes are imported; 1: a line was refused; the batches before it are imported.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const file = onlyWord(positionals, 'one file of codes')
    const worth = {
      currencyId: required('currency', values.currency),
      amount: amountFrom('amount', required('amount', values.amount)),
      ...dated('expiresAt', momentFrom('expires', values.expires)),
    }
    const codes = readText(file)
      .split(/\r?\n/)
      .flatMap((code, at) => (code === '' ? [] : [{ code, line: at + 1 }]))
    if (codes.length === 0) throw new WrongUse(`${file}: expected one code a line`)
    const { url, transport } = findInternal(values, 'marketing')
    const client = createClient(RewardService, transport)
    return await orExplained(url, screen, async () => {
      for (let at = 0; at < codes.length; at += batchMax) {
        const batch = codes.slice(at, at + batchMax)
        const request = { ...worth, codes: batch.map(({ code }) => code) }
        const key = [worth.currencyId, String(worth.amount), values.expires ?? '', ...request.codes]
        const requestId = uuidOfText(JSON.stringify(key))
        try {
          await untilReached(() => client.importCodes({ ...request, requestId }))
        } catch (error) {
          const { field, description } = violationsOf(error)[0] ?? { field: '', description: '' }
          const line = batch[Number(/^codes\[(\d+)\]$/.exec(field)?.[1])]?.line
          screen.tell(`${at} codes are imported, none from line ${batch[0]!.line} on`)
          if (line === undefined) throw error
          screen.tell(`line ${line}: ${description}`)
          return 1
        }
      }
      screen.print(`${codes.length} codes are imported`)
      return 0
    })
  },
}

const options = {
  ...internalOptions,
  currency: { type: 'string' },
  amount: { type: 'string' },
  expires: { type: 'string' },
} as const
