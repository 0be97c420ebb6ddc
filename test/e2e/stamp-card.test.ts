import { join } from 'node:path'
import t from 'tap'
import { ValueService } from '../../gateway/gen/loyalty/v1/value_service_pb.js'
import { startServed } from '../gateway/internal/served.js'
import { aBasket, aSale } from './basket.js'

const sample = join(import.meta.dirname, '..', '..', 'engine', 'programme', 'sample-programme.json')
const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: 'register-1', channel: 'pos' }
t.setTimeout(300_000)

await t.test('nine coffees of the sample programme fill a card, and the tenth is free', async (t) => {
  const served = await startServed({ LOYALTY_PROGRAM: sample })
  t.teardown(() => served.service.stop())
  const coffees = (quantity: number) => {
    const line = { productId: 'espresso', productGroupId: 'hot-drinks', quantity, unitPrice: 3600 }
    return aBasket('LOY-HENRIK', oslo).with({ currency: 'NOK' }).line(line).body()
  }
  const stamps = async () => {
    const member = { by: { case: 'loyaltyId', value: 'LOY-HENRIK' } } as const
    const { accounts } = await served.reader(t).ask(ValueService.method.getBalances, { member })
    return accounts.filter(({ currencyId }) => currencyId === 'stamps').map(({ available, held }) => [available, held])
  }
  const price = async (basket: object) => (await served.send('/v1/pos/basket', JSON.stringify(basket))).json
  const sell = async (sale: object) => t.equal((await served.send('/v1/pos/sale', JSON.stringify(sale))).status, 200)

  const nine = coffees(9)
  const priced = await price(nine)
  const isApplied = priced.status === 'applied'
  const paidTotal: number = (isApplied ? priced.basket : nine)['totals'].net
  t.ok(paidTotal > 0, 'no card is full yet')
  await sell(aSale(nine, { status: isApplied ? 'applied' : 'unchanged', paidTotal }))
  t.same(await stamps(), [[9n, 0n]])

  const tenth = coffees(1)
  t.match(await price(tenth), { status: 'applied', basket: { totals: { net: 0 } } })
  t.same(await stamps(), [[0n, 9n]])
  await sell(aSale(tenth, { paidTotal: 0 }))
  t.same(await stamps(), [[0n, 0n]], 'and it gives no stamp')
})
