import { parseArgs } from 'node:util'
import { serviceHelp } from '../lps/find-service.js'

export interface DemoOptions {
  readonly url: string | undefined
  readonly secret: string | undefined
  readonly 'secret-file': string | undefined
  /** A loyaltyId, a memberId with or without its `m-`; `none`: no member. */
  readonly member: string
  readonly venue: string | null
  /** A number of lines, or `[quantity x]productId` separated by commas; null: a few of the price list. */
  readonly lines: string | null
  readonly cancel: boolean
  readonly change: boolean
  readonly twice: boolean
}

export type DemoArguments =
  | { readonly kind: 'options'; readonly options: DemoOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string }

export const help = `A small POS: it looks a member up, signs a basket, asks the loyalty service what the member
gets, prints the receipt before and after, takes the payment, and reports the end of the sale.

  npm start                 first, in another terminal
  npm run demo              then this
  npm run demo -- --member bjorn --lines 2xespresso,sandwich

Sale
  --member NAME       a member of the sample programme, such as anna (gold), bjorn (student), jonas (blocked);
                      a loyaltyId such as TEST-20-PERCENT, TEST-UNCHANGED or TEST-NOT-FOUND;
                      or none: the guest has no card. Default: anna
  --venue ID          oslo-cafe, bergen-bakery or helsinki-shop. Default: the first of the programme
  --lines WHAT        a number of lines, such as 20; or products, such as 3xcinnamon-bun,0.35xbrown-cheese

Variants
  --change            the guest adds one thing after the calculation: a second one supersedes the first
  --twice             everything is sent twice with the same key: the second answer is a replay
  --cancel            the payment is abandoned: reservations are released

Service
${serviceHelp}

The programme is LOYALTY_PROGRAM, else the sample programme. NO_COLOR turns the colours off.`

export function readOptions(words: readonly string[]): DemoArguments {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        member: { type: 'string', default: 'anna' },
        venue: { type: 'string' },
        lines: { type: 'string' },
        change: { type: 'boolean', default: false },
        twice: { type: 'boolean', default: false },
        cancel: { type: 'boolean', default: false },
        url: { type: 'string' },
        secret: { type: 'string' },
        'secret-file': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return { kind: 'help' }
    const { 'secret-file': secretFile, url, secret, venue, lines, ...others } = values
    const options = {
      ...others,
      url,
      secret,
      'secret-file': secretFile,
      venue: venue ?? null,
      lines: lines ?? null,
    }
    return { kind: 'options', options }
  } catch (error) {
    return { kind: 'wrong', message: (error as Error).message }
  }
}
