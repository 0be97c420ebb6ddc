import type { BasketBody } from '../e2e/basket.js'
import {
  aGoodBasket,
  aGoodSale,
  type BodyRow,
  basketRow,
  nested,
  saleRow,
  withLineMember,
  withMember,
} from './body-row.js'

const money = (text: string, raw: string) => text.replace('"unitPrice":450', `"unitPrice":${raw}`)

/** JSON text: invalid, against another rule, or hard for a reader. */
export function textRows(): BodyRow[] {
  const refused = (name: string, change: (text: string) => string | Buffer) =>
    basketRow(name, (_, text) => change(text), 400)
  const echoed = (member: string, where: typeof withMember = withMember) =>
    basketRow(`foreign ${member.slice(0, 60)}`, (_, text) => where(text, member), 200, {
      holds: ({ text, json }) => json.status === 'applied' && text.includes(member),
    })
  return [
    refused('an empty body', () => ''),
    refused('{}', () => '{}'),
    refused('null', () => 'null'),
    refused('a list', (text) => `[${text}]`),
    refused('two values', (text) => `${text}${text}`),
    refused('something behind it', (text) => `${text}x`),
    refused('cut in half', (text) => text.slice(0, text.length / 2)),
    refused('250 KB of white space around {}', () => `${' '.repeat(125_000)}{}${'\n'.repeat(125_000)}`),
    refused('a trailing comma', (text) => text.replace(/}$/, ',}')),
    refused('a comment', (text) => text.replace('{', '{/* a */')),
    refused('a line comment', (text) => text.replace('{', '{// a\n')),
    refused('single quotes', (text) => text.replaceAll('"', "'")),
    refused('an unquoted key', (text) => text.replace('"currency"', 'currency')),
    refused('a missing colon', (text) => text.replace('"currency":', '"currency" ')),
    refused('a missing comma', (text) => text.replace(',"currency"', ' "currency"')),
    refused('a form feed between', (text) => text.replace(',"currency"', ',\f"currency"')),
    refused('a non-breaking space between', (text) => text.replace(',"currency"', ',\u00a0"currency"')),
    ...[
      'NaN',
      'Infinity',
      '-Infinity',
      '+1',
      '01',
      '-01',
      '.5',
      '1.',
      '0x1',
      '1e',
      '1e+',
      '--1',
      '1_000',
      '-',
      'True',
    ].map((raw) => refused(`a foreign value ${raw}`, (text) => withMember(text, `"x":${raw}`))),
    ...['NaN', '+450', '0450', '450.', '0x1C2'].map((raw) => refused(`a price ${raw}`, (text) => money(text, raw))),
    refused('a byte order mark', (text) => `\ufeff${text}`),
    refused('UTF-16', (text) => Buffer.from(text, 'utf16le')),
    refused('a Latin-1 byte', (text) => Buffer.from(withMember(text, '"x":"\u00e9"'), 'latin1')),
    refused('an overlong slash', (text) => bytesInString(text, [0xc0, 0xaf])),
    refused('a surrogate in UTF-8', (text) => bytesInString(text, [0xed, 0xa0, 0x80])),
    refused('beyond U+10FFFF', (text) => bytesInString(text, [0xf4, 0x90, 0x80, 0x80])),
    refused('half a character at the end', (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xe2, 0x82])])),
    refused('a raw NUL in a string', (text) => withMember(text, '"x":"\0"')),
    refused('a raw line feed in a string', (text) => withMember(text, '"x":"a\nb"')),
    refused('a raw tab in a string', (text) => withMember(text, '"x":"a\tb"')),
    refused('an unknown escape', (text) => withMember(text, '"x":"\\x41"')),
    refused('half an escape', (text) => withMember(text, '"x":"\\u00"')),
    refused('a duplicate key at the top', (text) => withMember(text, '"currency":"USD"')),
    refused('a duplicate key through escapes', (text) => withMember(text, '"\\u0063urrency":"USD"')),
    refused('a duplicate key in a line', (text) => withLineMember(text, '"unitPrice":1')),
    refused('a duplicate foreign key', (text) => withMember(text, '"x":1,"\\u0078":1')),
    refused('a duplicate __proto__', (text) => withMember(text, '"__proto__":1,"__proto__":1')),
    refused('33 levels of foreign lists', (text) => withMember(text, `"x":${nested(32)}`)),
    refused('33 levels in a line', (text) => withLineMember(text, `"x":${nested(30)}`)),
    refused('20,000 nested objects', (text) => withMember(text, `"x":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)),
    refused('256 KB of [', () => '['.repeat(262_144)),
    refused('100,000 nested lists without an end', (text) => withMember(text, `"x":${'['.repeat(100_000)}`)),
    echoed(`"x":${nested(31)}`),
    echoed(`"x":${nested(29)}`, withLineMember),
    echoed('"x":"\u007f"'),
    ...['1.0', '1e2', '-0', '12345678901234567890', '1E400', '5e-324', '1e999999999', '0.1e-7', '1.10'].map((raw) =>
      echoed(`"x":${raw}`),
    ),
    echoed(`"x":${'7'.repeat(200_000)}`),
    echoed(`"x":0.${'1'.repeat(200_000)}e-99999`),
    ...[
      '"__proto__":{"a":1}',
      '"constructor":{"prototype":{"a":1}}',
      '"toString":1',
      '"valueOf":null',
      '"hasOwnProperty":0',
    ].flatMap((member) => [echoed(member), echoed(member, withLineMember)]),
    echoed('"":""'),
    echoed('"a.b[0]":{"c":[]}'),
    echoed('"x":"\\ud83d\\ude00 \\/ \\u0041 \\u0000 \\ud800"'),
    basketRow('white space everywhere', (_, text) => JSON.stringify(JSON.parse(text), null, '\t'), 200, {
      holds: ({ json }) => json.status === 'applied',
    }),
    basketRow('exactly 262,144 bytes', (_, text) => text + ' '.repeat(262_144 - Buffer.byteLength(text)), 200),
    basketRow('262,145 bytes', (_, text) => text + ' '.repeat(262_145 - Buffer.byteLength(text)), 413, {
      code: 'invalid_request',
    }),
    basketRow('10,000 foreign members', (_, text) => withMember(text, tenThousand()), 200),
  ]
}

function bytesInString(text: string, bytes: readonly number[]): Buffer {
  const [before, after] = withMember(text, '"x":"|"').split('|') as [string, string]
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
}

function tenThousand(): string {
  return Array.from({ length: 10_000 }, (_, at) => `"x${at}":${at}`).join(',')
}

/** Money and quantity: exact, or refused. */
export function moneyRows(): BodyRow[] {
  const totals = (gross: string) => `{"gross":${gross},"lineDiscount":0,"orderDiscount":0,"net":${gross}}`
  /** A basket of one line with these numbers as text. */
  const priced =
    (raw: { quantity: string; unitPrice: string; gross: string; more?: string }) => (_: unknown, text: string) =>
      text
        .replace('"quantity":2', `${raw.more ?? ''}"quantity":${raw.quantity}`)
        .replace('"unitPrice":450', `"unitPrice":${raw.unitPrice}`)
        .replaceAll(totals('900'), totals(raw.gross))
  const row = (quantity: string, unitPrice: string, gross: string, status = 200) =>
    basketRow(`${quantity} x ${unitPrice} = ${gross}`, priced({ quantity, unitPrice, gross }), status, {
      ...(status === 422 ? { code: 'arithmetic_mismatch' } : {}),
    })
  const field = (name: string) => ({ field: `lines[0].${name}` })
  return [
    ...[
      '-1',
      '-0.5',
      '1.5',
      '"100"',
      '9007199254740992',
      '9007199254740993',
      '1e16',
      '1e400',
      'null',
      'true',
      '1e-1',
    ].map((raw) => basketRow(`unitPrice ${raw}`, (_, text) => money(text, raw), 400, field('unitPrice'))),
    ...['0', '-1', '100000.001', '100001', '1.2345', '1e-4', '"1"', '1e400', '-0', '0.0'].map((raw) =>
      basketRow(
        `quantity ${raw}`,
        (_, text) => text.replace('"quantity":2', `"quantity":${raw}`),
        400,
        field('quantity'),
      ),
    ),
    row('2', '9007199254740991', '9007199254740991', 400),
    row('1', '9007199254740991', '9007199254740991'),
    row('100000', '90071992547', '9007199254700000'),
    row('1', '100.0', '100'),
    row('1', '1e2', '100'),
    row('1', '10000e-2', '100'),
    row('1e-3', '1000', '1'),
    row('1e0', '7', '7'),
    row('0.5', '1', '1'),
    row('1.005', '100', '101'),
    row('8.345', '100', '835'),
    row('0.001', '499', '0'),
    row('0.001', '500', '1'),
    row('1.005', '100', '100', 422),
    row('8.345', '100', '834', 422),
    row('2', '450', '901', 422),
    row('100000', '0', '0'),
    basketRow(
      'overrideUnitPrice counts',
      priced({ quantity: '2', unitPrice: '450', gross: '200', more: '"overrideUnitPrice":100,' }),
      200,
    ),
    basketRow(
      'overrideUnitPrice null counts as absent',
      priced({ quantity: '2', unitPrice: '450', gross: '900', more: '"overrideUnitPrice":null,' }),
      200,
    ),
    basketRow('a discount above gross', discounted(1_000, -100), 400),
    basketRow('a discount above gross, net 0', discounted(1_000, 0), 422, { code: 'arithmetic_mismatch' }),
    basketRow(
      'a percentage that its amount does not match',
      discounted(10, 890, { type: 'percentage', percentage: 50 }),
      200,
    ),
    basketRow(
      'basket totals off by one',
      (body) => {
        body['totals'].net += 1
      },
      422,
      { code: 'arithmetic_mismatch' },
    ),
    basketRow(
      'an allocation that names nothing',
      (body) => {
        body['lines'][0].orderDiscountAllocations = [{ orderDiscountId: 'o', amount: 0 }]
      },
      422,
      { code: 'arithmetic_mismatch' },
    ),
    ...['JPY', 'KWD', 'X'.repeat(3), 'XTS', 'DEM', 'USD'].map((currency) =>
      basketRow(`currency ${currency}`, (body) => ({ ...body, currency }), 422, { code: 'unknown_currency' }),
    ),
    ...['eur', 'EURO', 'E', '', '\u20ac'].map((currency) =>
      basketRow(`currency ${JSON.stringify(currency)}`, (body) => ({ ...body, currency }), 400, { field: 'currency' }),
    ),
  ]
}

function discounted(amount: number, net: number, more: object = { type: 'amount' }) {
  return (body: BasketBody) => {
    body['lines'][0].discounts = [{ ...more, amount }]
    body['lines'][0].totals = { gross: 900, lineDiscount: amount, orderDiscount: 0, net }
    body['totals'] = { ...body['lines'][0].totals }
    return undefined
  }
}

/** Members, venues and ids that are unknown or belong to another. */
export function identityRows(): BodyRow[] {
  const unknownCard = (loyaltyId: unknown) =>
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
    ].map(unknownCard),
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
