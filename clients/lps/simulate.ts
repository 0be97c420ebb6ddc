import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import {
  CalculationService,
  type SimulateBasketResponse,
  SimulateBasketResponseSchema,
} from '../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatusSchema, UnchangedReasonSchema } from '../../gateway/gen/loyalty/v1/enums_pb.js'
import { wordFromEnum } from '../../gateway/rpc/messages/words.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { onlyWord, readDocument, readText } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { moneyText } from './money.js'
import type { Receipt } from './receipt.js'
import { reportLines } from './report-lines.js'
import { versionFrom } from './version-word.js'

export const simulate: Command = {
  name: 'simulate',
  summary: 'what a basket would get, also at another time, for another member, or by a draft',
  help: `lps simulate FILE

Prices the body of a basket call as a POS sends it, without storing or reserving anything, and shows every benefit with its reason.
lps explain GUID --json has such a body as requestJson.

  lps simulate basket.json --draft programme.json --at 2026-12-24T12:00:00+01:00

  --draft FILE        price by this programme document instead of the one in force
  --version N         price by this published version
  --at TIME           as if it were sent then, RFC 3339
  --card ID           as if this loyalty id had been sent; empty: nobody's
  --ignore-limits     take every limit as unused, and what the member has as free
  --json              the answer as JSON
${internalHelp}

Exit code 0: it was priced; 1: it was refused.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const bodyJson = readText(onlyWord(positionals, 'one file with the body of a basket call'))
    if (values.draft !== undefined && values.version !== undefined)
      throw new WrongUse('--draft and --version exclude each other')
    const request = {
      bodyJson,
      ...(values.at === undefined ? {} : { requestedAt: values.at }),
      ...(values.card === undefined ? {} : { loyaltyId: values.card }),
      ignoreLimits: values['ignore-limits'] ?? false,
      ...programmeFrom(values),
    }
    const { url, transport } = findInternal(values, 'reader')
    return await orExplained(url, screen, async () => {
      const answer = await createClient(CalculationService, transport).simulateBasket(request)
      if (values.json) screen.print(JSON.stringify(toJson(SimulateBasketResponseSchema, answer), null, 2))
      else show(answer, JSON.parse(bodyJson), screen)
      return 0
    })
  },
}

const options = {
  ...internalOptions,
  draft: { type: 'string' },
  version: { type: 'string' },
  at: { type: 'string' },
  card: { type: 'string' },
  'ignore-limits': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

function programmeFrom({ draft, version }: { readonly draft?: string; readonly version?: string }) {
  if (draft !== undefined) return { programme: { case: 'draftDocument', value: readDocument(draft) } } as const
  if (version === undefined) return {}
  return { programme: { case: 'programmeVersion', value: versionFrom('--version', version) } } as const
}

/** @param sent  a body that the service has just read */
function show(answer: SimulateBasketResponse, sent: Receipt, { print }: Screen): void {
  const { currency, totals, lines } = sent
  const { status, reason, basket, explanation, programmeVersion, optimal, gap } = answer
  const words = [wordFromEnum(CalculationStatusSchema, status), wordFromEnum(UnchangedReasonSchema, reason)]
  const by = programmeVersion === 0 ? 'a draft' : `version ${programmeVersion}`
  const proof = optimal ? 'proven best' : `at most ${moneyText(gap, currency)} from the best`
  print(`${words.filter((word) => word !== undefined).join(', ')} by ${by}, ${proof}`)
  const after = basket?.totals?.net ?? BigInt(totals.net)
  print(`${moneyText(totals.net, currency)} before, ${moneyText(after, currency)} after`)
  for (const line of reportLines(explanation, { lines, names: new Map(), currency })) print(line)
}
