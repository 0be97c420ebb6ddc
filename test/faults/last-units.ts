import { aBasket } from '../e2e/basket.js'
import { Dice } from '../support/dice.js'
import { createCounterClient, type Doors } from './counter-client.js'
import { type Call, finalAnswer } from './history.js'
import { grantsOf, unitPrice } from './programme-limits.js'

const berlin = { venueId: 'venue-1', baxId: 'bax-1', cashRegisterId: 'register-1', channel: 'pos' }

/** POS callers that come after the rush: more than there are units. */
const stragglersMax = 15

/** The outcome of a rush on the last units of a limit. */
export interface Rush {
  /** Units granted by all answers together. */
  readonly granted: number
  /** The same, plus what was granted one by one afterwards. */
  readonly grantedInTheEnd: number
  /** Baskets that got a 200. */
  readonly answered: number
  readonly attempts: number
}

/**
 * So many POS callers at once ask for one unit each of a limit of ten, over all gateways, and repeat calls that got a 503.
 *
 * @param withinMs time in which every POS must have its answer
 */
export async function rushForLastUnits(
  doors: Doors,
  posCallers: number,
  seed: number,
  withinMs: number,
): Promise<Rush> {
  const dice = new Dice(seed)
  const client = createCounterClient(doors, dice)
  client.giveUpAt(performance.now() + withinMs)
  try {
    const ask = () => {
      const basket = aBasket(`card-${dice.between(1, 24)}`, berlin)
        .line({ productId: 'last', unitPrice })
        .body()
      return client.call({ endpoint: 'basket', key: basket['calculationId'], body: JSON.stringify(basket) })
    }
    const calls = await Promise.all(Array.from({ length: posCallers }, ask))
    const granted = unitsOf(calls)
    const stragglers: Call[] = []
    for (let straggler = 0; straggler < stragglersMax; straggler += 1) stragglers.push(await ask())
    return {
      granted,
      grantedInTheEnd: granted + unitsOf(stragglers),
      answered: calls.filter((call) => finalAnswer(call)?.status === 200).length,
      attempts: calls.reduce((sum, { attempts }) => sum + attempts.length, 0),
    }
  } finally {
    await client.close()
  }
}

function unitsOf(calls: readonly Call[]): number {
  const answers = calls.map(finalAnswer).filter((answer) => answer?.status === 200)
  return answers.flatMap((answer) => grantsOf(JSON.parse(answer!.text))).reduce((sum, { units }) => sum + units, 0)
}
