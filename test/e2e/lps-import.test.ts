import t from 'tap'
import { aBasket } from './basket.js'
import { lpsFolder, programmeFile, type Said } from './run-lps.js'
import { startService } from './service.js'

const { run, write } = lpsFolder(t)
t.setTimeout(900_000)

const tokens = 'reader:r-token,marketing:m-token,admin:a-token'
const service = await startService({
  env: { LOYALTY_DEADLINE_MS: '10000', LOYALTY_PROGRAM: programmeFile, LOYALTY_TOKENS: tokens },
})
t.teardown(() => service.stop())
write('tokens', tokens.replaceAll(',', '\n'))

/** Runs a command against the service, with its tokens. */
function lps(...words: readonly string[]): Promise<Said> {
  return run(...words, '--internal', service.internalUrl, '--token-file', 'tokens')
}

t.test('members import stores a file, and names each refused line', async (t) => {
  const rows = Array.from({ length: 1_200 }, (_, at) => `m-${at},card-${at};phone-${at},gold,,`)
  const file = write('members.csv', `\ufeffmemberId,loyaltyIds,tier,segments,blocked\r\n${rows.join('\r\n')}\r\n\r\n`)
  t.match(await lps('import', 'members', file), { code: 0, out: '1200 new, 0 changed, 0 as they were\n' })
  t.match(await lps('import', 'members', file), { code: 0, out: '0 new, 0 changed, 1200 as they were\n' })
  const change = write('change.csv', 'loyaltyIds,memberId,segments\n"card-0;""quoted"", too",m-0,"a,b;c"\n')
  t.match(await lps('import', 'members', change), { code: 0, out: '0 new, 1 changed, 0 as they were\n' })
  const m0 = await lps('call', 'MemberService/GetMember', '--member-id', 'm-0')
  t.match(m0.out, /^standing\.tier: +gold$/m, 'a column that the file does not have stays')
  const basket = aBasket('"quoted", too').line({ productId: 'coffee', unitPrice: 460 })
  t.equal((await service.send('/v1/pos/basket', basket.text())).json.status, 'applied')

  const saved = write('refused.csv', `memberId,loyaltyIds\nm-saved,'+47 900\n`)
  t.match(await lps('import', 'members', saved), { code: 0, out: '1 new, 0 changed, 0 as they were\n' })
  const home = await lps('call', 'MemberService/GetMember', '--member-id', 'm-saved')
  t.match(home.out, /\+47 900$/m, 'without the apostrophe of a file that the console saved')

  const segments = Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(60, 's')).join(';')
  const wide = rows.slice(0, 800).map((_, at) => `w-${at},w-card-${at},${segments}\n`)
  const wideFile = write('wide.csv', `memberId,loyaltyIds,segments\n${wide.join('')}`)
  t.match(await lps('import', 'members', wideFile), { code: 0, out: '800 new, 0 changed, 0 as they were\n' })

  const twice = write('twice.csv', 'memberId,loyaltyIds\nm-7,a\n\nm-7,b\n')
  t.match(await lps('import', 'members', twice), {
    code: 1,
    err: /^line 4: member_id: expected a memberId of its own: line 2 has it already; .*\nnothing from line 2 on is stored; 0 members/,
  })
  const wrong: [string, RegExp][] = [
    ['', /expected a first line/],
    ['memberId,card\nm,c\n', /line 1: expected columns of .* received card/],
    ['loyaltyIds\nc\n', /line 1: expected the columns memberId/],
    ['memberId,loyaltyIds,memberId\nm,c,m\n', /line 1: expected every column once/],
  ]
  for (const [text, err] of wrong)
    t.match(await lps('import', 'members', write('wrong.csv', text)), { code: 2, err }, text)
  t.match(await lps('import', 'members', 'none.csv'), { code: 2, err: /no such file/ })
  t.match(await lps('import', 'members', '.'), { code: 2, err: /received a directory/ })
  const faulty: [string | Buffer, RegExp][] = [
    ['memberId,loyaltyIds,blocked\nm,c,perhaps\n', /line 2: blocked: expected true, false or nothing/],
    [Buffer.from('memberId,loyaltyIds\nm,K\xe5re\n', 'latin1'), /line 2: expected UTF-8/],
    [
      `memberId,loyaltyIds\n${rows.map((_, at) => `m-${at},card-${at}\n`).join('')}m\n`,
      /^line 1202: .*\nnothing from line 1002 on is stored; 1000 members before it are/,
    ],
  ]
  for (const [text, err] of faulty)
    t.match(await lps('import', 'members', write('faulty.csv', text)), { code: 1, err }, String(err))
})

t.test('members import takes no card of another member unless it is allowed to, and counts before', async (t) => {
  const old = write('old.csv', 'memberId,loyaltyIds,tier,segments\ni-1,i-card-1,gold,a;b\ni-2,i-card-2,gold,\n')
  t.match(await lps('import', 'members', old), { code: 0, out: '2 new, 0 changed, 0 as they were\n' })
  const shown = async (member: string) => (await lps('call', 'MemberService/GetMember', '--member-id', member)).out
  const cleared = write('cleared.csv', 'memberId,segments,blocked\ni-1,,\n')
  t.match(await lps('import', 'members', cleared), { code: 0, out: '0 new, 1 changed, 0 as they were\n' })
  t.notMatch(await shown('i-1'), /segments/, 'an empty cell takes the segments away')
  t.match(await shown('i-1'), /^member\.loyalty_ids: +i-card-1\nmember\.tier: +gold/m)

  const taking = write('taking.csv', 'memberId,loyaltyIds\ni-2,i-card-2\n\ni-3,"i-card-3;i-card-1"\n')
  const refused = await lps('import', 'members', taking)
  t.equal(refused.code, 1)
  t.equal(
    refused.err,
    'line 4: loyalty_ids[1]: i-card-1 is a card of member i-1; --move-cards moves it\nnothing from line 2 on is stored; 0 members before it are\n',
  )
  const counts = 'would be: 1 new, 0 changed, 1 as they were; 1 card of other members would move\n'
  t.match(await lps('import', 'members', taking, '--dry-run'), {
    code: 1,
    out: counts,
    err: 'line 4: i-card-1 is a card of member i-1\nthe import would be refused there; --move-cards moves them\n',
  })
  t.match(await lps('import', 'members', taking, '--dry-run', '--move-cards'), { code: 0, out: counts })
  t.match(
    await lps('call', 'MemberService/GetMember', '--member-id', 'i-3'),
    { code: 1, err: /MEMBER_NOT_FOUND/ },
    'nothing is stored yet',
  )
  t.match(await lps('import', 'members', taking, '--move-cards'), {
    code: 0,
    out: '1 new, 0 changed, 1 as they were; 1 card of other members moved\n',
  })
  t.match(await shown('i-3'), /^member\.loyalty_ids: +i-card-1, i-card-3$/m)
  const cardless = write('cardless.csv', 'memberId,tier\ni-1,gold\ni-9,gold\n')
  t.match(await lps('import', 'members', cardless), {
    code: 1,
    err: /^line 3: loyalty_ids: expected .*the member is new/,
  })
  t.match(await lps('import', 'members', cardless, '--dry-run'), { code: 1, err: /^line 3: loyalty_ids: [^\n]*\n$/ })
})

function balances(name: string, rows: readonly string[]): string {
  return write(name, `memberId,loyaltyId,currencyId,amount,expiresAt,reference\n${rows.join('\n')}\n`)
}

const heldBy = (...words: readonly string[]) => lps('call', 'ValueService/GetBalances', ...words)

t.test('import needs the right control totals, and passes over what was imported before', async (t) => {
  const rows = Array.from({ length: 1_500 }, (_, at) => `${at % 2 ? 'member-1,' : ',ben'},kroner,${at + 1},,old-${at}`)
  const file = balances('kroner.csv', rows)
  const total = ['--total', 'kroner=1125750']
  t.match(await lps('import', 'balances', file, '--total', 'kroner=1125751'), {
    code: 1,
    err: 'kroner: the file sums to 1125750, the control total is 1125751\nnothing was imported\n',
  })
  t.match(await lps('import', 'balances', balances('half.csv', rows.slice(500, 1_001)), '--total', 'kroner=376251'), {
    code: 0,
    out: '501 rows are imported, 0 of them by another import\n',
  })
  const whole = { code: 0, out: '1500 rows are imported, 501 of them by another import\n' }
  t.match(await lps('import', 'balances', file, ...total), whole)
  t.match(await lps('import', 'balances', file, ...total), { code: 0, out: /^1500 rows are imported/ }, 'again')
  const held = await Promise.all(
    ['anna', 'ben'].map(async (card) => (await heldBy('--member.loyalty-id', card, '--output', 'json')).out),
  )
  const sums = held.map(
    (out) => JSON.parse(out).accounts.find(({ currencyId = '' }) => currencyId === 'kroner').available,
  )
  t.equal(Number(sums[0]) + Number(sums[1]), 1_125_750)
})

t.test('a line that cannot be imported is named', async (t) => {
  const total = ['--total', 'stamps=3']
  const good = 'member-1,,stamps,1,,new-1'
  const wrong: readonly (readonly [string, RegExp])[] = [
    [
      'nobody,,stamps,2,,new-2',
      /^line 3: member: no such member; received "nobody"\nnothing from line 2 on is imported\n$/,
    ],
    ['member-1,,stamps,2,2001-01-01T00:00:00Z,new-2', /^line 3: expires_at: expected a moment to come; received .*\n/],
    ['member-1,,stamps,2,soon,new-2', /^line 3: expiresAt: expected a time .* received soon\nnothing was imported\n$/],
    ['member-1,,stamps,2,2027-02-30T00:00:00Z,new-2', /^line 3: expiresAt: expected a time/],
    ['member-1,ben,stamps,2,,new-2', /^line 3: expected either a memberId or a loyaltyId\n/],
    ['member-1,,stamps,2.5,,new-2', /^line 3: amount: expected a whole number, received 2\.5\n/],
    ['member-1,,stamps,2,,new-1', /^line 3: reference: expected one of its own; line 2 has it already\n/],
  ]
  for (const [row, err] of wrong)
    t.match(
      await lps('import', 'balances', balances('wrong.csv', [good, row]), ...total),
      { code: 1, out: '', err },
      row,
    )
  for (const [words, err] of [
    [['none.csv', ...total], /^none\.csv: there is no such file/],
    [['tokens'], /required option '--total <currency=amount>' not specified/],
    [['tokens', '--total', 'stamps'], /^--total: expected such as stamps=1200, received stamps/],
  ] as const)
    t.match(await lps('import', 'balances', ...words), { code: 2, err }, words.join(' '))
})

const worth = ['--currency', 'stamps', '--amount', '3']

t.test('a file of codes is imported once, and a refused line is named', async (t) => {
  const codes = Array.from({ length: 1_500 }, (_, at) => `code-${at}`)
  write('codes.txt', `${codes.join('\r\n')}\n\n`)
  for (const times of [1, 2]) {
    const imported = await lps('import', 'codes', 'codes.txt', ...worth)
    t.match(imported, { code: 0, out: '1500 codes are imported\n' }, String(times))
  }
  write('more.txt', 'new-code\n\ncode-7\n')
  t.match(await lps('import', 'codes', 'more.txt', ...worth), {
    code: 1,
    out: '',
    err: '0 codes are imported, none from line 1 on\nline 3: this code was imported before\n',
  })
  const claim = ['call', 'RewardService/ClaimCode', '--code', 'code-1499', '--member.loyalty-id', 'ben']
  t.match(await lps(...claim), { code: 0, out: /^amount: +3$/m })
  t.match(await lps(...claim), { code: 1, err: /^CODE_NOT_OPEN: .*claimed/m })
  t.match(await lps('import', 'codes', 'none.txt', ...worth), {
    code: 2,
    err: /^none\.txt: expected a file that can be/,
  })
})

t.test('import stores a price list of a spreadsheet, or says what is wrong with it', async (t) => {
  const file = write('prices.csv', '\ufeffproductId;name;price\r\ncoffee;Kaffe;4,50\r\nlatte;Latte;5\r\n')
  const place = ['--venue', 'venue-1']
  const tried = await lps('import', 'prices', file, '--venue', 'venue-1', '--dry-run')
  t.match(tried, { code: 0, out: /\nlatte +Latte +new +5\.00 EUR\n/, err: /^\d+ new, \d+ changed, \d+ removed/ })
  t.match(await lps('import', 'prices', file, ...place), { code: 0, out: tried.out, err: tried.err })
  t.match(await lps('import', 'prices', file, ...place), {
    code: 0,
    out: '',
    err: /^0 new, 0 changed, 0 removed, 2 as/,
  })
  const faulty = write('faulty.csv', 'productId;name;price\ncoffee;Kaffe;4,505\n')
  t.match(await lps('import', 'prices', faulty, ...place), {
    code: 1,
    err: /^row 2, price: expected a price such as 52 or 52\.50; received 4,505\nnothing is stored\n/,
  })
  t.match(await lps('import', 'prices', file), { code: 2, err: /required option '--venue <id>' not specified/ })
})
