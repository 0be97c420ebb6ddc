import { randomUUID } from 'node:crypto'
import t from 'tap'
import { aConsole, aSignedIn } from './a-console.js'

t.setTimeout(300_000)

const [anna, bjorn] = ['marketing-token-of-anna-in-the-tests', 'marketing-token-of-bjorn-in-the-tests']

t.test('what one person of marketing proposes another one publishes', async (t) => {
  const LOYALTY_TOKENS = `marketing:${anna},marketing:${bjorn}`
  const console = await aConsole(t, { env: { LOYALTY_TOKENS, LOYALTY_PUBLISH_REVIEW: 'required' } })
  if (console === null) return
  const author = await console.signIn(anna)
  const { document } = await author.call('ProgrammeService/GetProgramme', {})
  const programme = JSON.parse(document as string)
  programme.benefits = programme.benefits.slice(1)
  await author.go('/programme/draft')
  await author.page.getByRole('button', { name: 'Begin with version 1' }).click()
  await author.page.getByText(/^No fault/).waitFor()
  await author.page.getByRole('button', { name: 'Publish …' }).click()
  await author.page.getByText('Another person must approve what is published here.').waitFor()
  t.equal(await author.page.getByRole('button', { name: 'Publish', exact: true }).count(), 0)
  await author.page.getByLabel('Note for the other person').fill('Nothing changes')
  t.same(await author.faults(), [], 'proposing')
  await author.page.getByRole('button', { name: 'Propose', exact: true }).click()
  await author.page.getByText('The programme in force is already identical.').waitFor()

  const request = { requestId: randomUUID(), document: JSON.stringify(programme), expectedVersion: 1, note: 'Autumn' }
  const { proposalId } = await author.call('ProgrammeService/ProposeProgramme', request)
  await author.go('/programme')
  await author.page.getByRole('link', { name: '1 proposal waits' }).click()
  await author.go(`/programme/proposals/${proposalId}`)
  await author.page.getByText('You proposed it, so another person must approve it.').waitFor()
  t.equal(await author.page.getByRole('button', { name: 'Approve …' }).count(), 0)
  t.same(await author.faults(), [], "a proposal of one's own")

  await author.page.getByRole('button', { name: 'Take back …' }).click()
  await author.page.getByRole('button', { name: 'Cancel' }).click()

  const other = await console.signIn(bjorn)
  const spare = { ...request, requestId: randomUUID(), note: 'Winter' }
  await author.call('ProgrammeService/ProposeProgramme', spare)
  await other.go(`/programme/proposals/${spare.requestId}`)
  await other.page.getByRole('button', { name: 'Decline …' }).click()
  await other.page.getByLabel('Reason, for colleagues').fill('Too early')
  await other.page.getByRole('button', { name: 'Decline', exact: true }).click()
  await other.page.getByText('The proposal has ended, and nothing was published.').waitFor()
  await author.go(`/programme/proposals/${spare.requestId}`)
  await author.page.getByText('Too early').waitFor()
  t.equal(await author.page.getByRole('button', { name: 'Take back …' }).count(), 0)

  await other.go(`/programme/proposals/${proposalId}`)
  await other.page.getByText('Autumn').first().waitFor()
  await other.page.getByRole('button', { name: 'Approve …' }).click()
  await other.page.getByRole('button', { name: 'Approve and publish' }).click()
  await other.page.getByText('Version 2 is in force everywhere within 2 seconds.').waitFor()
  await author.go(`/programme/proposals/${proposalId}`)
  await author.page.getByRole('link', { name: 'Version 2' }).waitFor()
  const newest = await other.call('ProgrammeService/GetProgramme', { withoutDocument: true })
  t.match(newest, { programme: { version: 2 } })
  t.same([...author.complaints, ...other.complaints], [])
})

t.test(
  'a publication whose answer is lost is tried again as the same, and not called the work of another',
  async (t) => {
    const console = await aSignedIn(t)
    if (console === null) return
    const { page, go, call } = console
    const programme = JSON.parse((await call('ProgrammeService/GetProgramme', {}))['document'] as string)
    const text = JSON.stringify({ ...programme, benefits: programme.benefits.slice(1) })
    const draft = JSON.stringify({ text, baseVersion: 1, isChanged: true })
    await page.evaluate(`localStorage.setItem('draft/programme', ${JSON.stringify(draft)})`)
    let isLost = false
    await page.route('**/loyalty.v1.ProgrammeService/PublishProgramme', async (route) => {
      if (isLost) return await route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    await go('/programme/draft')
    await page.getByRole('button', { name: 'Publish …' }).click()
    const publish = page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true })
    await publish.click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await publish.click()
    await page.getByText('Version 2 is in force everywhere within 2 seconds.').waitFor()
    t.ok(isLost)
  },
)
