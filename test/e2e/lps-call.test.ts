import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { aBasket, aSale } from './basket.js'
import { lpsFolder, programmeFile } from './run-lps.js'
import { startService, unhurried } from './service.js'

const { run, write, folder } = lpsFolder(t)
t.setTimeout(900_000)

const tokens = 'reader:r-token,support:s-token,marketing:m-token,admin:a-token'
const programme = JSON.parse(readFileSync(programmeFile, 'utf8'))
const stamps = { ruleId: 'units', currencyId: 'stamps', give: 1, per: { units: 1 } }
write('programme.json', { ...programme, earning: [stamps] })
const service = await startService({
  env: { ...unhurried, LOYALTY_PROGRAM: `${folder}/programme.json`, LOYALTY_TOKENS: tokens },
})
t.teardown(() => service.stop())
write('tokens', tokens.replaceAll(',', '\n'))
const place = ['--internal', service.internalUrl, '--token-file', 'tokens']

/** Runs `lps call` against the service, with its tokens. */
const call = (...words: readonly string[]) => run('call', ...words, ...place)

const basket = aBasket('ben').line({ productId: 'coffee', quantity: 3, unitPrice: 450 }).body()
const sale = String(basket['calculationId'])
const sold = aSale(basket, { paidTotal: 1_215 })
write('basket.json', basket)
write('prices.csv', 'productId;name;price\ncoffee;Kaffe;4,50\n')
const anna = ['--member.loyalty-id', 'anna']
const worth = ['--currency-id', 'stamps', '--amount', '3']

/** Words for one call of each kind of request, and its reason where it is refused; null: it succeeds. */
const calls: Readonly<Record<string, readonly [words: readonly string[], reason: string | null]>> = {
  'AccessService/GetAccess': [[], null],
  'CalculationService/GetCalculation': [['--calculation-id', sale], null],
  'CalculationService/ListCalculations': [['--from', '1d', '--status', 'applied'], null],
  'CalculationService/SimulateBasket': [['--body-json', '@basket.json', '--ignore-limits'], null],
  'EventService/WatchEvents': [['--from-beginning', '--count', '1'], null],
  'EventService/CreateWebhook': [['--url', 'https://crm.example', '--types', 'value.earned,tier.changed'], null],
  'MemberService/ExportMember': [anna, null],
  'MemberService/UpsertMembers': [['--members', '{"memberId":"m-1","loyaltyIds":["c-1","c-2"]}'], null],
  'MemberService/BlockMember': [['--member-id', 'member-2', '--unblock'], null],
  'MemberService/SetTier': [[...anna, '--tier', 'bronze', '--until', '2099-01-01', '--reason', 'x'], 'TIER_NOT_FOUND'],
  'MemberService/MergeMembers': [['--from.member-id', 'm-1', '--into.member-id', 'member-2', '--dry-run'], null],
  'ProgrammeService/PublishProgramme': [
    ['--document', '@programme.json', '--expected-version', '9'],
    'VERSION_MISMATCH',
  ],
  'ProgrammeService/ShadowRun': [['--from', '1d', '--draft-document', '@programme.json'], null],
  'ProgrammeService/FindWorstBaskets': [['--draft-document', '@programme.json', '--budget-steps', '100'], null],
  'ProgrammeService/SchedulePublication': [
    ['--proposal-id', randomUUID(), '--publish-at', '1h', '--time-zone', 'Europe/Oslo'],
    'PROPOSAL_NOT_FOUND',
  ],
  'ReportService/ReportSums': [
    ['--from-day', '2026-01-01', '--until-day', '2026-01-31', '--by', 'benefit,venue'],
    null,
  ],
  'ReturnService/QuoteReturn': [
    ['--calculation-id', sale, '--lines', '{"lineId":"line-1","quantityThousandths":"1000"}'],
    null,
  ],
  'ReturnService/RecordReturn': [
    [
      '--calculation-id',
      randomUUID(),
      '--reference',
      'r',
      '--occurred-at',
      '1h',
      '--lines',
      '{"lineId":"a","quantityThousandths":1}',
    ],
    'CALCULATION_NOT_FOUND',
  ],
  'ReturnService/ListReturns': [['--all'], null],
  'RewardService/ImportCodes': [['--codes', 'code-1,code-2', '--codes', 'code-3', ...worth], null],
  'ValueService/AdjustValue': [[...anna, ...worth, '--reason', 'x', '--expires-at', '2099-01-01T00:00:00+01:00'], null],
  'VenueService/ReadPriceList': [['--venue-id', 'venue-1', '--csv', '@prices.csv'], null],
  'ViewService/DeleteView': [['--view-id', randomUUID()], 'VIEW_NOT_FOUND'],
}

t.test('a sale is made', async (t) => {
  t.match(await service.send('/v1/pos/basket', JSON.stringify(basket)), { status: 200 })
  t.match(await service.send('/v1/pos/sale', JSON.stringify(sold)), { status: 200 })
})

t.test('each kind of request can be called, or is refused by the service with its reason', async (t) => {
  for (const [name, [words, reason]] of Object.entries(calls)) {
    const { code, out, err } = await call(name, ...words)
    const hints = /^(request id \S+|there is more: .*|done: .*)\n/gm
    if (reason === null) t.same([code, err.replace(hints, '')], [0, ''], name)
    else t.match({ code, out, err }, { code: 1, out: '', err: new RegExp(`^(request id .*\n)?${reason}: `) }, name)
  }
})

t.test('an answer is printed as fields and tables, or as protobuf JSON', async (t) => {
  const member = await call('MemberService/GetMember', '--loyalty-id', 'anna')
  t.match(member.out, /^member\.member_id: +member-1\n/)
  t.match(member.out, /^standing\.tier_source: +stored\nstanding\.visits: +0\n/m)
  const json = await call('MemberService/GetMember', '--json', '{"loyaltyId":"anna"}', '--output', 'json')
  t.match(JSON.parse(json.out), { member: { memberId: 'member-1' }, standing: { tierSource: 'TIER_SOURCE_STORED' } })
  const ladder = await call('ReturnService/GetLadder', '--calculation-id', sale)
  t.match(ladder.out, /line_id +quantity_thousandths .*\nline-1 +3000 /)
  const held = await call('ValueService/GetBalances', '--member.loyalty-id', 'ben')
  t.match(held.out, /^currency_id +available .*\n(.*\n)*stamps .* amount=\d+ held=0 opens_at=\S+Z/m)
  t.match(await call('ReturnService/ListReturns'), { code: 0, out: '', err: 'done: the answer is empty\n' })
})

t.test('--all follows the pages, and without it the next one is named', async (t) => {
  const first = await call('ProgrammeService/ListProgrammes', '--page-size', '1')
  t.match(first, { code: 0, err: '' }, 'there is one version')
  const page = await call('MemberService/ListMembers', '--page-size', '1')
  const [, token = ''] = /^there is more: --page-token (\S+), or --all\n$/.exec(page.err) ?? []
  t.match(page.out, /m-1/)
  t.match((await call('MemberService/ListMembers', '--page-size', '1', '--page-token', token)).out, /member-1/)
  const all = await call('MemberService/ListMembers', '--page-size', '1', '--all', '--output', 'json')
  const pages = all.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.ok(pages.length >= 3)
  t.ok(pages.every(({ members }) => members.length === 1))
})

t.test('a change gets a request id, which is printed; under a given one it is repeated', async (t) => {
  const words = ['ValueService/AdjustValue', '--member.member-id', 'member-2', ...worth, '--reason', 'twice']
  const { err } = await call(...words)
  const [, requestId = ''] = /^request id (\S{36})\n$/.exec(err) ?? []
  const before = (await call(...words, '--request-id', requestId)).out
  t.equal((await call(...words, '--request-id', requestId)).out, before)
  t.not((await call(...words)).out, before)
})
