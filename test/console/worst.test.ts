import t from 'tap'
import { trapped } from '../engine/worst/trap-rate.js'
import { aSignedIn } from './a-console.js'

t.setTimeout(400_000)

const console = await aSignedIn(t)

t.test('a trap of a draft is found and mended by the tab alone', async (t) => {
  if (console === null) return
  const { page, go, faults, complaints } = console
  const { document } = trapped('free with a bag', 3)
  const kept = JSON.stringify({ document: JSON.stringify(document, null, 2), baseVersion: 1, isChanged: false })
  await page.evaluate(`localStorage.setItem('draft/programme', ${JSON.stringify(kept)})`)
  await go('/programme/draft')
  await page.getByRole('link', { name: 'What could go wrong' }).click()
  await page.getByRole('button', { name: 'Search', exact: true }).last().click()
  const trap = page.getByRole('article').filter({ hasText: 'Goods without discounts count as bought.' }).first()
  await trap.getByText('1 Carrier bag').waitFor()
  t.same(await faults(), [])
  await trap.getByRole('button', { name: 'Trap: goods without discounts do not count' }).click()
  await page.getByText('The draft has changed since.').waitFor()
  const draft = await page.evaluate<string>("JSON.parse(localStorage.getItem('draft/programme')).document")
  t.same(JSON.parse(draft).benefits.at(-1).conditions, {
    requires: [{ select: { productGroupIds: ['bags'] }, quantity: 1 }],
  })
  await page.getByRole('button', { name: 'Search again' }).click()
  await page.getByText('The draft has changed since.').waitFor({ state: 'detached' })
  await page.getByText('baskets of').waitFor()
  t.equal(await page.getByText('Goods without discounts count as bought.').count(), 0)
  t.same(complaints, [])
})
