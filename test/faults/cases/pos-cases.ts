import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { aBasket, aSale, type BasketBody } from '../../e2e/basket.js'
import { signature } from '../../e2e/service.js'
import { finalAnswer } from '../history.js'
import { unitPrice } from '../programmes.js'
import type { FaultCase, Stage } from '../run-case.js'
import { limitedBasket } from '../traffic.js'

/** POS callers that hang up, repeat calls, send them out of order and too late. */
export const posCases: readonly FaultCase[] = [
  {
    id: 'F35',
    title: 'POS callers that half-close, stop in the middle of a body, or hang up after sending',
    run: brokenSockets,
  },
  {
    id: 'F40',
    title: 'events five times and shuffled, before their baskets, and beside what supersedes them',
    run: outOfOrder,
  },
  { id: 'F42', title: 'late sales of everything that has expired', env: { LOYALTY_EXPIRY_S: '2' }, run: lateSales },
]

async function brokenSockets({ world, client, dice }: Stage): Promise<readonly string[]> {
  const missed: string[] = []
  for (let round = 0; round < 30; round += 1) {
    const basket = limitedBasket(dice)
    const key: string = basket['calculationId']
    const body = JSON.stringify(basket)
    const url = new URL(dice.pick(world.gateways).service!.url)
    const whole = requestText(url, { key, body, secret: world.doors.secret })
    const manner = (['half-close', 'mid-body', 'reset'] as const)[round % 3]!
    const answer = await sendRaw(Number(url.port), manner === 'mid-body' ? whole.slice(0, -20) : whole, manner)
    if (manner === 'half-close' && !answer.startsWith('HTTP/1.1 '))
      missed.push(`a half-closed POS is answered: ${answer}`)
    if (manner === 'mid-body' && answer !== '' && !answer.startsWith('HTTP/1.1 400')) {
      missed.push(`half a body is 400 or nothing: ${answer.slice(0, 40)}`)
    }
    await client.call({ endpoint: 'basket', key, body })
  }
  return missed
}

function requestText(url: URL, { key, body, secret }: { key: string; body: string; secret: string }): string {
  return [
    'POST /v1/pos/basket HTTP/1.1',
    `Host: ${url.host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Idempotency-Key: ${key}`,
    `POS-Signature: ${signature(secret, Math.floor(Date.now() / 1000), body)}`,
    '',
    body,
  ].join('\r\n')
}

function sendRaw(port: number, text: string, manner: 'half-close' | 'mid-body' | 'reset'): Promise<string> {
  return new Promise((resolve) => {
    let seen = ''
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      if (manner === 'reset') socket.write(text, () => socket.resetAndDestroy())
      else socket.end(text)
    })
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('data', (bytes) => {
      seen += String(bytes)
      // The rest of an error answer lingers until we have read it.
      if (manner === 'mid-body') socket.destroy()
    })
    socket.on('end', () => socket.destroy())
    socket.on('error', () => {})
    socket.on('close', () => resolve(seen))
  })
}

async function outOfOrder({ client, dice, full }: Stage): Promise<void> {
  for (let round = full ? 60 : 20; round > 0; round -= 1) {
    const basket = limitedBasket(dice)
    const key: string = basket['calculationId']
    const sale = JSON.stringify(aSale(basket, dice.chance(0.5) ? {} : { status: 'failed', failureReason: 'timeout' }))
    const next: BasketBody = { ...limitedBasket(dice), context: basket['context'], supersedesCalculationId: key }
    const sendSale = () => client.call({ endpoint: 'sale', key, body: sale })
    const sendBasket = () => client.call({ endpoint: 'basket', key, body: JSON.stringify(basket) })
    const sendNext = () =>
      client.call({ endpoint: 'basket', key: next['calculationId'], body: JSON.stringify(next), supersedes: key })
    const steps = [sendBasket, sendNext, ...Array.from({ length: 5 }, () => sendSale)]
    const calls = shuffled(steps, dice).map(async (step) => {
      await sleep(dice.between(0, 120))
      return await step()
    })
    await Promise.all(calls)
  }
}

function shuffled<T>(list: readonly T[], dice: Stage['dice']): readonly T[] {
  return list
    .map((item) => ({ item, at: dice.next() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item)
}

/** All units of a limit expire, are taken by others, and are then sold all the same: nothing new is granted. */
async function lateSales({ client, world }: Stage): Promise<readonly string[]> {
  const berlin = { venueId: 'venue-1', baxId: 'bax-1', cashRegisterId: 'register-1', channel: 'pos' }
  const take = async (quantity: number) => {
    const basket = aBasket('card-2', berlin).line({ productId: 'last', unitPrice, quantity }).body()
    const call = await client.call({ endpoint: 'basket', key: basket['calculationId'], body: JSON.stringify(basket) })
    return { basket, status: JSON.parse(finalAnswer(call)?.text ?? '{}').status as string | undefined }
  }
  const sell = ({ basket }: { basket: BasketBody }) =>
    client.call({ endpoint: 'sale', key: basket['calculationId'], body: JSON.stringify(aSale(basket)) })
  const missed: string[] = []
  const early = await Promise.all(Array.from({ length: 5 }, () => take(2)))
  await sleep(2_500)
  const again = await Promise.all(Array.from({ length: 5 }, () => take(2)))
  if ([...early, ...again].some(({ status }) => status !== 'applied'))
    missed.push('what has expired is had by the next')
  await sleep(2_500)
  for (const calculation of [...early, ...again]) await sell(calculation)
  if ((await take(1)).status !== 'unchanged') missed.push('late sales stop new grants')
  const exceeded = await world.sql`
    select count(*)::int4 as sales from sale where 'late_event' = any (discrepancies) and 'limit_exceeded' = any (discrepancies)`
  if (exceeded[0]!['sales'] < 5) missed.push(`sales past the limit are marked, ${exceeded[0]!['sales']} are`)
  return missed
}
