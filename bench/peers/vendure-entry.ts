import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type PeerShop, promotions } from './shop.js'

/** Vendure in the folder that has its packages; with the word `seed` fills its empty database and ends. */
const load = createRequire(join(process.cwd(), 'package.json'))
const core = load('@vendure/core')
const isSeed = process.argv[2] === 'seed'
const config = {
  apiOptions: { port: Number(process.env['PORT']), hostname: '127.0.0.1' },
  authOptions: { tokenMethod: 'bearer', superadminCredentials: { identifier: 'admin', password: 'bench' } },
  dbConnectionOptions: { type: 'postgres', url: process.env['DATABASE_URL'], synchronize: isSeed },
}
const addLines = `mutation ($inputs: [AddItemInput!]!) {
  addItemsToOrder(inputs: $inputs) { order { totalWithTax lines { discounts { amountWithTax } } } }
}`

if (isSeed) {
  await seed()
  process.exit(0)
}
await core.bootstrap(config)

async function seed(): Promise<void> {
  const columns = 'name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand'
  const rows = promotions.map(({ name, price }) => `${name},${name},,,,,,${name},${price}.00,standard,1000000,false,,`)
  writeFileSync('products.csv', [`${columns},trackInventory,variantAssets,variantFacets`, ...rows].join('\n'))
  const initial = {
    ...{ defaultLanguage: 'en', defaultZone: 'Europe', shippingMethods: [], paymentMethods: [], collections: [] },
    countries: [{ name: 'Norway', code: 'NO', zone: 'Europe' }],
    taxRates: [{ name: 'Standard', percentage: 25 }],
  }
  const app = await load('@vendure/core/cli').populate(
    () => core.bootstrap(config),
    initial,
    join(process.cwd(), 'products.csv'),
  )
  const context = await app.get(core.RequestContextService).create({ apiType: 'admin' })
  const { items } = await app.get(core.ProductVariantService).findAll(context, { take: promotions.length })
  const variants: string[] = items.map(({ id }: { readonly id: unknown }) => String(id))
  for (const [at, variant] of variants.entries()) {
    await app.get(core.PromotionService).createPromotion(context, promotionOf(variant, promotions[at]!))
  }
  const shop: PeerShop = {
    path: '/shop-api',
    header: 'Accept: application/json',
    body: { query: addLines, variables: { inputs: variants.map((id) => ({ productVariantId: id, quantity: 1 })) } },
    discount: '"discounts":[{',
    sqlOff: 'update promotion set enabled = false',
  }
  writeFileSync('shop.json', JSON.stringify(shop))
}

function promotionOf(variant: string, { name, percentage }: (typeof promotions)[number]) {
  const withArguments = (code: string, values: object) => ({
    code,
    arguments: Object.entries(values).map(([name, value]) => ({ name, value: JSON.stringify(value) })),
  })
  return {
    enabled: true,
    translations: [{ languageCode: 'en', name, description: '' }],
    conditions: [withArguments('minimum_order_amount', { amount: 1, taxInclusive: true })],
    actions: [withArguments('products_percentage_discount', { discount: percentage, productVariantIds: [variant] })],
  }
}
