import t from 'tap'
import { eventFromId, idOfEvent } from '../../../gateway/background/event-id.js'
import { AddressRefused, createLookUp, createReachTest, urlFault } from '../../../gateway/background/webhook-address.js'

const closed = { http: 'refused', networks: [] } as const

t.test('addresses of the own network and reserved ones are refused, public ones are not', async (t) => {
  const mayReach = createReachTest(closed)
  const refused = [
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '127.9.9.9',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...['192.168.1.1', '192.0.0.192', '198.18.0.1', '224.0.0.1', '255.255.255.255', '240.0.0.1'],
    ...[
      '::',
      '::1',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
      'fd00:ec2::254',
      'ff02::1',
      '::ffff:10.0.0.1',
      '::ffff:8.8.8.8',
    ],
    ...['64:ff9b::a00:1', '2002:a00:1::1', '2001:0:a00:1::1', '2001:db8::1', 'localhost', ''],
  ]
  for (const address of refused) t.notOk(mayReach(address), address)
  for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])
    t.ok(mayReach(address), address)
})

t.test('a network that is allowed is reached, and no other', async (t) => {
  const mayReach = createReachTest({ ...closed, networks: ['10.1.0.0/16', 'fd00:1::/32'] })
  for (const address of ['10.1.9.9', 'fd00:1::5', '8.8.8.8']) t.ok(mayReach(address), address)
  for (const address of ['10.2.0.1', 'fd00:2::5', '127.0.0.1']) t.notOk(mayReach(address), address)
})

t.test('a URL is taken only where it can be sent to', async (t) => {
  const taken = [
    'https://example.com',
    'https://example.com:8443/a?b=c',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ]
  for (const url of taken) t.equal(urlFault(url, closed), null, url)
  const refused = [
    ...[
      '',
      'example.com',
      'ftp://example.com',
      'http://example.com',
      'https://user@example.com',
      'https://:pw@example.com',
    ],
    ...['https://example.com/#part', 'https://127.0.0.1', 'https://2130706433/', 'https://0x7f.1/', 'https://[::1]/'],
    ...['https://[::ffff:10.0.0.1]/', 'https://169.254.169.254/latest', `https://example.com/${'x'.repeat(2_048)}`],
  ]
  for (const url of refused) t.type(urlFault(url, closed), 'string', url)
  t.equal(urlFault('http://127.0.0.1:8080', { http: 'allowed', networks: ['127.0.0.0/8'] }), null)
})

t.test('a name that resolves to the own network is not connected to', async (t) => {
  const lookUp = (networks: readonly string[], all: boolean) =>
    new Promise<unknown>((resolve) => {
      createLookUp(createReachTest({ ...closed, networks }))('localhost', { all }, (error, found) =>
        resolve(error ?? found),
      )
    })
  t.type(await lookUp([], true), AddressRefused)
  t.type(await lookUp([], false), AddressRefused)
  t.same(await lookUp(['127.0.0.0/8'], true), [{ address: '127.0.0.1', family: 4 }])
  t.same(await lookUp(['127.0.0.0/8'], false), '127.0.0.1')
})

t.test('an event is named by number and time', async (t) => {
  const event = { eventId: 12, atUs: 1_795_461_536_460_123 }
  t.same(eventFromId(idOfEvent(event)), event)
  for (const id of [
    '',
    'evt_1',
    'evt_1_',
    'evt_-1_2',
    'evt_1_2_3',
    'evt_99999999999999999_1',
    ' evt_1_2',
    'evt_9999999999999999_1',
  ])
    t.equal(eventFromId(id), null, id)
})
