// Sells one basket with the generated client: arguments are its folder, the address, the secret and a GUID.
const { createHmac } = require('node:crypto')

const [, , folder, basePath, secret, calculationId] = process.argv
const { Configuration, DefaultApi } = require(folder)

/** The signature is of the bytes that are sent, so it is made last. */
const sign = {
  async pre({ url, init }) {
    const t = Math.floor(Date.now() / 1000)
    const v1 = createHmac('sha256', secret).update(`${t}.`).update(init.body).digest('hex')
    return { url, init: { ...init, headers: { ...init.headers, 'POS-Signature': `t=${t},v1=${v1}` } } }
  },
}

async function sell() {
  const pos = new DefaultApi(new Configuration({ basePath, middleware: [sign], fetchApi: fetch }))
  const totals = { gross: 9000, lineDiscount: 0, orderDiscount: 0, net: 9000 }
  const line = { lineId: '1', productId: 'cinnamon-bun', quantity: 2, unitPrice: 4500, noDiscount: false, totals }
  const context = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '1', channel: 'pos' }
  const requestedAt = '2026-11-23T12:00:00+01:00'
  const basket = {
    calculationId,
    loyaltyId: 'TEST-20-PERCENT',
    currency: 'NOK',
    requestedAt,
    context,
    lines: [line],
    totals,
  }
  const answer = await pos.calculateBasket({ idempotencyKey: calculationId, basket })
  console.log(answer.status, answer.basket.totals.net)
  const paid = { transactionId: '1', paidTotal: 7200, loyaltyDiscountTotal: 1800, occurredAt: requestedAt }
  const saleEvent = { calculationId, status: 'applied', currency: 'NOK', context, ...paid }
  console.log((await pos.recordSale({ idempotencyKey: calculationId, saleEvent })).result)
  const wrong = { ...basket, lines: [{ ...line, unitPrice: -1 }] }
  const refused = await pos
    .calculateBasket({ idempotencyKey: calculationId, basket: wrong })
    .catch((response) => response)
  console.log(refused.status, (await refused.json()).error.details.faults[0].field)
}

sell()
