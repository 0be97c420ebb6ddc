import t from 'tap'
import { trapped } from '../engine/worst/searched.js'
import { aSignedIn, draftOf, keepDraft } from './a-console.js'

t.setTimeout(400_000)

const console = await aSignedIn(t, { env: { LOYALTY_PUBLISH_WORST: 'require' } })

t.test('a trap of a draft is found and mended by the tab alone', async (t) => {
  if (console === null) return
  const { page, go, faults, complaints } = console
  const { document } = trapped('free with a bag', 3)
  await keepDraft(page, JSON.stringify(document, null, 2), { isChanged: false })
  await go('/programme/draft')
  await page.getByRole('link', { name: 'What could go wrong' }).click()
  await page.getByRole('button', { name: 'Search', exact: true }).last().click()
  const trap = page.getByRole('article').filter({ hasText: 'Goods without discounts count as bought.' }).first()
  await trap.getByText('1 Carrier bag').waitFor()
  t.same(await faults(), [])
  await trap.getByRole('button', { name: 'Trap: goods without discounts do not count' }).click()
  await page.getByText('The draft has changed since.').waitFor()
  const draft = await draftOf(page)
  t.same(JSON.parse(draft).benefits.at(-1).conditions, {
    requires: [{ select: { productGroupIds: ['bags'] }, quantity: 1 }],
  })
  await page.getByRole('button', { name: 'Search again' }).click()
  await page.getByText('The draft has changed since.').waitFor({ state: 'detached' })
  await page.getByText('baskets of').waitFor()
  t.equal(await page.getByText('Goods without discounts count as bought.').count(), 0)
  t.same(complaints, [])
})

t.test('a draft is published when each worst basket is ticked as meant', async (t) => {
  if (console === null) return
  const { page, go, faults, call } = console
  const { document } = trapped('two stackables to everything', 3)
  await keepDraft(page, JSON.stringify(document, null, 2))
  await go('/programme/draft')
  await page.getByRole('button', { name: 'Publish …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/Tick .*meant:/).waitFor()
  t.same(await faults(), [])
  const publish = dialog.getByRole('button', { name: 'Publish', exact: true })
  const boxes = dialog.getByRole('group').getByRole('checkbox')
  const count = await boxes.count()
  t.ok(count > 0)
  for (let at = 0; at < count; at++) {
    t.ok(await publish.isDisabled(), `${at} of ${count} are ticked`)
    await boxes.nth(at).check()
  }
  await publish.click()
  await dialog.getByText('is in force everywhere').waitFor()
  const { programme } = await call('ProgrammeService/GetProgramme', { withoutDocument: true })
  t.match(programme, { version: 2 })
})
