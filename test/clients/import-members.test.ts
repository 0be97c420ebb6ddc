import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { readMembers } from '../../clients/lps/import-members.js'

const folder = mkdtempSync(join(tmpdir(), 'members-csv-'))
t.teardown(() => rmSync(folder, { recursive: true }))

/** The members of a file with this text, each with its line; a fault comes last, as its message. */
async function membersOf(text: string) {
  const file = join(folder, 'members.csv')
  writeFileSync(file, text)
  const rows = []
  try {
    for await (const { line, member } of readMembers(file, () => {})) rows.push({ line, ...member })
  } catch (error) {
    rows.push((error as Error).message)
  }
  return rows
}

const kari = { memberId: 'm-1', loyaltyIds: ['card-1', 'phone-1'], segments: ['staff'] }

t.test('semicolons separate fields where they separate the columns; lists stand in quotes then', async (t) => {
  const text = '\ufeffmemberId;loyaltyIds;segments\r\nm-1;"card-1;phone-1";staff\r\nm-2;card-2,b;\r\n'
  t.same(await membersOf(text), [
    { line: 2, ...kari },
    { line: 3, memberId: 'm-2', loyaltyIds: ['card-2,b'], segments: [] },
  ])
})

t.test('a field in quotes holds separators, quotes and line breaks', async (t) => {
  const text = 'memberId,loyaltyIds\n"m ""1"", x","a\r\nb;c\n"\n\nm-2,card-2\n'
  t.same(await membersOf(text), [
    { line: 2, memberId: 'm "1", x', loyaltyIds: ['a\r\nb', 'c\n'], segments: [] },
    { line: 6, memberId: 'm-2', loyaltyIds: ['card-2'], segments: [] },
  ])
})

t.test('dates are taken as they are, and an empty one is none', async (t) => {
  const text = 'memberId,loyaltyIds,birthday,joinedOn\nm-1,a,02-29,2024-05-17\nm-2,b,,\n'
  t.same(await membersOf(text), [
    { line: 2, memberId: 'm-1', loyaltyIds: ['a'], segments: [], birthday: '02-29', joinedOn: '2024-05-17' },
    { line: 3, memberId: 'm-2', loyaltyIds: ['b'], segments: [] },
  ])
})

t.test('the mask names the columns that the file has', async (t) => {
  const file = join(folder, 'masked.csv')
  writeFileSync(file, 'joinedOn,memberId,blocked,loyaltyIds\n,m-1,,a\n')
  for await (const { mask } of readMembers(file, () => {})) t.same(mask, ['loyalty_ids', 'blocked', 'joined_on'])
  t.plan(1)
})

t.test('every kind of line break ends a row, in one file', async (t) => {
  const rows = await membersOf('memberId,loyaltyIds\r\nm-1,a\nm-2,b\rm-3,c')
  t.same(
    rows.map((row) => typeof row !== 'string' && [row.line, row.memberId]),
    [
      [2, 'm-1'],
      [3, 'm-2'],
      [4, 'm-3'],
    ],
  )
})

t.test('rows before a fault are read, and the fault names the line on which its row begins', async (t) => {
  for (const [fault, named] of [
    ['"m-2,card-2\nm-3,card-3\n', /^line 4: .*Quote Not Closed/],
    ['m"2,card-2\nm-3,card-3\n', /^line 4: .*Invalid Opening Quote/],
    ['"m-2"2,card-2\n', /^line 4: .*Invalid Closing Quote/],
    ['m-2\nm-3,card-3\n', /^line 4: expected 2 fields, received 1/],
    [`"${'x'.repeat(1_100_000)}",card\nm-3,card-3\n`, /^line 4: .*Max Record Size/],
  ] as const) {
    const rows = await membersOf(`memberId,loyaltyIds\n"m\n1",card-1\n${fault}`)
    t.match(rows, [{ line: 2, memberId: 'm\n1' }, named], String(named))
    t.equal(rows.length, 2)
  }
})
