import type { BasketBody } from '../e2e/basket.js'
import { aGoodBasket, aGoodSale, type BodyRow, basketRow, saleRow } from './body-row.js'

/** Members, venues and ids that are unknown or belong to another. */
export function identityRows(): BodyRow[] {
  const nobody = (loyaltyId: unknown) =>
    basketRow(`loyaltyId ${JSON.stringify(loyaltyId)?.slice(0, 40)}`, (body) => ({ ...body, loyaltyId }), 200, {
      holds: ({ json }) => json.status === 'member_not_found',
    })
  const venue = (context: object, status = 422) =>
    basketRow(
      `context ${JSON.stringify(context)}`,
      (body) => ({ ...body, context: { ...body['context'], ...context } }),
      status,
      status === 422 ? { code: 'venue_not_configured' } : {},
    )
  const withKey = (key: string): BodyRow => {
    const body = { ...aGoodBasket(), calculationId: key }
    return { ...basketRow(`calculationId ${key}`, () => body, 200), key }
  }
  const unknown = { holds: ({ json }: { json: BasketBody }) => json['result'] === 'unknown_calculation' }
  return [
    ...[
      undefined,
      null,
      'no-such-member',
      'carl',
      'a\u0000b',
      '\ud800',
      '\ud83d\ude00'.repeat(64),
      'ANNA',
      ' anna',
      '__proto__',
    ].map(nobody),
    basketRow('loyaltyId of 65 characters', (body) => ({ ...body, loyaltyId: 'x'.repeat(65) }), 400, {
      field: 'loyaltyId',
    }),
    basketRow('an empty loyaltyId', (body) => ({ ...body, loyaltyId: '' }), 400, { field: 'loyaltyId' }),
    venue({ venueId: 'no-such-venue' }),
    venue({ venueId: '__proto__' }),
    venue({ venueId: 'venue-3', baxId: 'bax-4' }),
    venue({ baxId: 'bax-3' }),
    venue({ baxId: 'no-such-bax' }),
    venue({ venueId: 'VENUE-1' }),
    venue({ cashRegisterId: '\ud83d\ude00'.repeat(64) }, 200),
    ...[
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      '018f3f3c-7b5a-7cc0-8a1b-0123456789ab',
    ].map(withKey),
    basketRow(
      'another calculationId than its key',
      (body) => ({ ...body, calculationId: aGoodBasket()['calculationId'] }),
      400,
      { field: 'calculationId' },
    ),
    ...['', 'x', '0A1B2C3D-4E5F-6789-ABCD-EF0123456789', '{0a1b2c3d-4e5f-6789-abcd-ef0123456789}', 7, null].map(
      (calculationId) =>
        basketRow(`calculationId ${JSON.stringify(calculationId)}`, (body) => ({ ...body, calculationId }), 400, {
          field: 'calculationId',
        }),
    ),
    basketRow(
      'a POS of its own names',
      (body) => ({ ...body, addedByLoyalty: true, overrideUnitPrice: 1, splitFromLineId: 'x' }),
      200,
    ),
    basketRow(
      'addedByLoyalty of the POS',
      (body) => {
        Object.assign(body['lines'][0], { addedByLoyalty: true })
        return body
      },
      200,
    ),
    saleRow('a sale of an unknown calculation', () => undefined, 200, unknown),
    saleRow(
      'a sale of another venue',
      (body) => ({ ...body, context: { ...body['context'], venueId: 'elsewhere' } }),
      200,
      unknown,
    ),
    saleRow(
      'a sale of a venue of production',
      (body) => ({ ...body, context: { ...body['context'], venueId: 'venue-3' } }),
      200,
      unknown,
    ),
    saleRow('a sale of another key', (body) => ({ ...body, calculationId: aGoodSale()['calculationId'] }), 400, {
      field: 'calculationId',
    }),
  ]
}
