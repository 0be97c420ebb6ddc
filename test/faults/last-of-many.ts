import { aBasket, aSale, type BasketBody } from '../e2e/basket.js'
import { Dice } from '../support/dice.js'
import { createCounterClient, type Doors } from './counter-client.js'
import { type Call, finalAnswer } from './history.js'
import { grantsOf, paymentsOf, unitPrice } from './programmes.js'

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
 * `posCallers` POSs at once ask for one unit each of a limit of ten, over all gateways, and repeat calls that got a 503.
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

/** The outcome of a rush on one card. */
export interface StampRush {
  /** Baskets that got a 200. */
  readonly answered: number
  readonly attempts: number
  /** Stamps that all answers together spend. */
  readonly spent: number
  /** The same of the calls after the first `free` one was sold. */
  readonly spentAfterSale: number
}

interface Rushing {
  readonly doors: Doors
  readonly posCallers: number
  readonly card: string
  readonly seed: number
  /** Time in which every POS must have its answer, in milliseconds. */
  readonly withinMs: number
  /** Checks while the basket is open, before its sale. */
  look(): Promise<void>
}

/** POS callers after the sale: on each gateway some. */
const stragglers = 6

/**
 * `posCallers` POSs at once ask for a tea that costs all the stamps of one card, over all gateways, and repeat calls that got a
 * 503. Then what was given is sold, and some ask again.
 */
export async function rushForLastStamps({
  doors,
  posCallers,
  card,
  seed,
  withinMs,
  look,
}: Rushing): Promise<StampRush> {
  const client = createCounterClient(doors, new Dice(seed))
  client.giveUpAt(performance.now() + withinMs)
  try {
    const ask = async () => {
      const basket = aBasket(card, berlin).line({ productId: 'tea', unitPrice }).body()
      const call = await client.call({ endpoint: 'basket', key: basket['calculationId'], body: JSON.stringify(basket) })
      const answer = finalAnswer(call)
      const spent = answer?.status === 200 ? (paymentsOf(JSON.parse(answer.text)).get('stamps') ?? 0) : 0
      return { basket, attempts: call.attempts.length, isAnswered: answer?.status === 200, spent }
    }
    const asked = await Promise.all(Array.from({ length: posCallers }, ask))
    await look()
    const sell = async (basket: BasketBody) => {
      const sale = aSale(basket, { paidTotal: 0 })
      await client.call({ endpoint: 'sale', key: basket['calculationId'], body: JSON.stringify(sale) })
    }
    await Promise.all(asked.filter(({ spent }) => spent > 0).map(({ basket }) => sell(basket)))
    const after = await Promise.all(Array.from({ length: stragglers }, ask))
    return {
      answered: asked.filter(({ isAnswered }) => isAnswered).length,
      attempts: asked.reduce((sum, { attempts }) => sum + attempts, 0),
      spent: sumOf(asked),
      spentAfterSale: sumOf(after),
    }
  } finally {
    await client.close()
  }
}

function sumOf(asked: readonly { readonly spent: number }[]): number {
  return asked.reduce((sum, { spent }) => sum + spent, 0)
}
