import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type PeerShop, promotions } from './shop.js'

/** Fills Medusa's empty database; run by `medusa exec` in the folder that has its packages. */
// biome-ignore lint/style/noDefaultExport: Medusa runs a file's default export.
export default async function seed({ container }: { readonly container: unknown }): Promise<void> {
  const workflows = createRequire(join(process.cwd(), 'package.json'))('@medusajs/medusa/core-flows')
  const run = async (name: string, input: unknown) =>
    (await workflows[`${name}Workflow`](container).run({ input })).result
  const [channel] = await run('createSalesChannels', { salesChannelsData: [{ name: 'POS' }] })
  const norway = { name: 'Norway', currency_code: 'nok', countries: ['no'] }
  const [region] = await run('createRegions', { regions: [norway] })
  const vat = { name: 'VAT', code: 'vat', rate: 25 }
  await run('createTaxRegions', [{ country_code: 'no', provider_id: 'tp_system', default_tax_rate: vat }])
  const [key] = await run('createApiKeys', { api_keys: [{ title: 'POS', type: 'publishable', created_by: '' }] })
  await run('linkSalesChannelsToApiKey', { id: key.id, add: [channel.id] })
  const productOf = ({ name, price }: (typeof promotions)[number]) => {
    const prices = [{ amount: price, currency_code: 'nok' }]
    return {
      title: name,
      status: 'published',
      options: [{ title: 'Size', values: ['one'] }],
      variants: [{ title: 'one', sku: name, manage_inventory: false, options: { Size: 'one' }, prices }],
      sales_channels: [{ id: channel.id }],
    }
  }
  const products = await run('createProducts', { products: promotions.map(productOf) })
  const promotionOf = ({ name, percentage }: (typeof promotions)[number], at: number) => ({
    ...{ code: name, type: 'standard', status: 'active', is_automatic: true },
    application_method: {
      ...{ type: 'percentage', value: percentage, currency_code: 'nok' },
      ...{ target_type: 'items', allocation: 'each', max_quantity: 100 },
      target_rules: [{ attribute: 'items.product.id', operator: 'eq', values: [products[at].id] }],
    },
  })
  await run('createPromotions', { promotionsData: promotions.map(promotionOf) })
  const items = products.map((product: { readonly variants: readonly { id: string }[] }) => {
    return { variant_id: product.variants[0]!.id, quantity: 1 }
  })
  const shop: PeerShop = {
    path: '/store/carts',
    header: `x-publishable-api-key: ${key.token}`,
    body: { region_id: region.id, items },
    discount: '"adjustments":[{',
    sqlOff: "update promotion set status = 'inactive'",
  }
  writeFileSync('shop.json', JSON.stringify(shop))
}
