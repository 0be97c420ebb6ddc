import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Download, Page } from 'playwright-core'
import t from 'tap'
import { aConsole } from './a-console.js'

t.setTimeout(400_000)

interface Balances {
  readonly accounts: readonly { readonly available: string }[]
}

const console = await aConsole(t)
const count = 1_203
const numbers = Array.from({ length: count }, (_, at) => at + 1)

/** As a spreadsheet in Norwegian saves it: semicolons, Windows-1252, local dates; the rows 2, 700 and 1200 are wrong. */
function memberFile(): Buffer {
  const rows = numbers.map((at) => {
    const [card, born] =
      at === 700 ? ['1,23457E+11', ''] : at === 2 ? ['+4799887766', '31.02.1990'] : [`C-${at}`, '17.5.1984']
    return `mb-${at};${at === 1_200 ? 'LOY-ANNA' : card};"sjømenn;press";${born};note`
  })
  const text = ['Member;loyalty_ids;segments;Birthday;Merknad', ...rows].join('\r\n')
  return Buffer.from(text, 'latin1')
}

const folder = mkdtempSync(join(tmpdir(), 'lps-imports-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** A file of the disk has the same time of its last change when it is chosen again. */
async function choose(page: Page, name: string, bytes: Buffer): Promise<void> {
  const path = join(folder, name)
  if (!existsSync(path)) writeFileSync(path, bytes)
  await page.getByLabel('File: CSV').setInputFiles(path)
}

async function saved(page: Page): Promise<string> {
  const [file] = (await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the refused rows' }).click(),
  ])) as [Download, undefined]
  return readFileSync(await file.path(), 'utf8')
}

t.test('members are checked, imported, stopped and gone on with; refused rows are saved to mend', async (t) => {
  if (console === null) return
  const { page, go, call, faults } = await console.as('support')
  await go('/members')
  await page.getByRole('link', { name: 'Import members' }).click()
  await choose(page, 'members.csv', memberFile())
  await page.getByRole('heading', { name: '1,203 rows in members.csv' }).waitFor()
  t.equal(await page.getByLabel('Meaning of Merknad').inputValue(), '')
  t.ok(await page.getByRole('button', { name: 'Check' }).isDisabled(), 'a reason is missing')
  await page.getByLabel('Reason, for colleagues').fill('from the old system')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('1,203 rows are checked; nothing is stored yet.').waitFor()
  await page.getByText('1,200 new, 0 changed, 0 as before. 3 rows are refused.').waitFor()
  for (const text of ['LOY-ANNA is a card of member m-anna', 'loyaltyIds: expected all digits', 'birthday: expected'])
    await page.getByRole('cell', { name: text }).waitFor()
  t.same(await faults(), [])
  const refused = await saved(page)
  t.match(refused, /^\ufeffMember,loyalty_ids,.*Why\r\nmb-2,.*\r\nmb-700,.*\r\nmb-1200,LOY-ANNA,.*m-anna\r\n$/)
  const stored = () => call('MemberService/ListMembers', { memberIdPrefix: 'mb-' })
  t.same((await stored())['members'] ?? [], [])
  const importing = page.getByRole('button', { name: 'Import', exact: true })
  await page.getByLabel('Cards of other members move').check()
  t.equal(await importing.count(), 0, 'moving cards is not checked')
  await page.getByLabel('Cards of other members move').uncheck()

  await page.route('**/loyalty.v1.MemberService/UpsertMembers', async (route) => {
    await page.getByRole('button', { name: 'Stop' }).click()
    await route.continue()
  })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Stopped after 500 of 1,203 rows.').waitFor()
  await page.unroute('**/loyalty.v1.MemberService/UpsertMembers')
  await page.reload()
  await choose(page, 'members.csv', memberFile())
  await page.getByText('The first 500 rows of this file are imported already.').waitFor()
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('701 new, 0 changed').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Done: 1,203 of 1,203 rows').waitFor()
  const { segments } = (await call('RewardService/ListSegments', {})) as { segments: object[] }
  t.match(
    segments.filter((each) => /sjømenn|press/.test(JSON.stringify(each))),
    [{ segmentId: 'press', members: '1200' }, { segmentId: 'sjømenn' }],
  )
  t.match(await call('MemberService/GetMember', { memberId: 'mb-7' }), { member: { birthday: '05-17' } })

  const [head, row] = refused.split('\r\n')
  await choose(
    page,
    'mended.csv',
    Buffer.from(`${head}\r\n${row!.replace('31.02', '28.02').replace('sjømenn;press', '')}`),
  )
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('1 new, 0 changed').waitFor()
  await importing.click()
  await page.getByText('Done: 1 of 1 rows').waitFor()
  const { member } = (await call('MemberService/GetMember', { memberId: 'mb-2' })) as {
    member: { loyaltyIds: string[] }
  }
  t.same(member.loyaltyIds, ['+4799887766'])
})

t.test('codes of a plain list are imported once, whatever is repeated', async (t) => {
  if (console === null) return
  const { page, go, faults } = await console.as('marketing')
  await go('/imports/codes')
  const codes = numbers.map((at) => `AUTUMN-${at}`)
  await choose(page, 'codes.txt', Buffer.from([...codes, 'short'].join('\n')))
  await page.getByLabel('Currency').selectOption('stamps')
  await page.getByLabel('Amount').fill('2')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('1,203 codes can be imported. 1 row is refused.').waitFor()
  t.same(await faults(), [])
  // The answer of a batch is lost, as by a browser that ends.
  let calls = 0
  await page.route('**/loyalty.v1.RewardService/ImportCodes', async (route) => {
    calls += 1
    if (calls !== 2) return await route.continue()
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Stopped after 500 of 1,204 rows.').waitFor()
  await page.getByLabel('Amount').fill('20')
  t.equal(await page.getByRole('button', { name: 'Go on' }).count(), 0, 'the others would get another amount')
  await page.getByLabel('Amount').fill('2')
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('Done: 1,204 of 1,204 rows').waitFor()
  await page.getByText('1,203 codes are imported. 1 row is refused.').waitFor()
  await choose(page, 'again.txt', Buffer.from(codes.slice(0, 3).join('\n')))
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('0 codes can be imported. 3 rows are refused.').waitFor()
  t.ok(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled())
  await page.getByRole('cell', { name: 'this code was imported before' }).first().waitFor()
  const claim = { requestId: randomUUID(), member: { memberId: 'm-anna' }, code: 'AUTUMN-1203' }
  const support = await console.as('support')
  t.match(await support.call('RewardService/ClaimCode', claim), { currencyId: 'stamps', amount: '2' })
})

t.test('a grant to a segment that is cut off goes on, and gives each member once', async (t) => {
  if (console === null) return
  const { page, go, call, faults } = await console.as('marketing')
  const begin = async () => {
    await go('/imports/vouchers')
    await page.getByLabel('Segment').selectOption({ label: 'press: 1,200 members' })
  }
  await begin()
  await page.getByLabel('Currency').selectOption('stamps')
  await page.getByLabel('Amount').fill('3')
  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/ListSegments')) asked += 1
  })
  await page.getByLabel('Name of the grant').fill('autumn 2026')
  await page.waitForTimeout(600)
  t.equal(asked, 0, 'every member would be read at each pause in typing')
  await page.getByLabel('Reason, for colleagues').fill('thanks')
  await page.getByText('1,200 members get 3').waitFor()
  await page.getByText('No benefit was paid with it').waitFor()
  t.same(await faults(), [])
  await page.route('**/loyalty.v1.RewardService/IssueVouchers', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Grant to 1,200 members' }).click()
  await page.getByText('Stopped: 0 of 1,200 members').waitFor()
  await page.unroute('**/loyalty.v1.RewardService/IssueVouchers')
  await begin()
  await page.getByText('1,000 members have this grant already').waitFor()
  await page.getByRole('button', { name: 'Grant to 200 members' }).click()
  await page.getByText('Done: 200 of 200 members got it.').waitFor()
  t.ok(await page.getByRole('button', { name: 'Grant to 0 members' }).isDisabled())
  for (const at of [1, 999, 1_203]) {
    const { accounts } = (await call('ValueService/GetBalances', {
      member: { memberId: `mb-${at}` },
    })) as unknown as Balances
    t.match(accounts, [{ available: '3' }], String(at))
  }
  const reader = await console.as('reader')
  await reader.go('/imports/vouchers')
  await reader.page.getByText('It takes the role').waitFor()
})
