import { randomUUID } from 'node:crypto'
import t from 'tap'
import { nameOfToken } from '../gateway/internal/served.js'
import { aConsole, aSignedIn, draftOf, keepDraft, typeDraft } from './a-console.js'

t.setTimeout(600_000)

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
    await keepDraft(page, text)
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

t.test('a draft is shared, and of two people who write at once none loses a change', async (t) => {
  const console = await aConsole(t, { env: { LOYALTY_TOKENS: `marketing:${anna},marketing:${bjorn}` } })
  if (console === null) return
  const [one, other] = [await console.signIn(anna), await console.signIn(bjorn)]
  const changed = async ({ page }: typeof one, from: string, to: string) =>
    typeDraft(page, (await draftOf(page)).replace(from, to))
  await one.go('/programme/draft/json')
  await one.page.getByRole('button', { name: 'Begin with version 1' }).click()
  await one.page.getByText('Nothing is changed yet, so nothing is stored.').waitFor()
  await changed(one, '"percentage": 10', '// since spring\n      "percentage": 15')
  await one.page.getByLabel('Name of the draft').fill('Spring')
  await one.page.getByText(/^Stored by marketing-/).waitFor()
  t.same(await one.page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('draft/unsent'))"), [])
  t.same(await one.faults(), [], 'a stored draft')

  await other.go('/programme/drafts')
  await other.page.getByRole('link', { name: 'Spring' }).waitFor()
  t.same(await other.faults(), [], 'the drafts of all')
  await other.page.getByRole('link', { name: 'Spring' }).click()
  await other.page.getByRole('heading', { name: 'Spring', level: 1 }).waitFor()
  t.match(other.page.url(), /draftId=[0-9a-f-]{36}/, 'an address for colleagues')
  await other.page.getByRole('link', { name: 'JSON' }).click()
  await other.page.getByLabel('Programme, JSON').waitFor()
  t.match(await draftOf(other.page), '// since spring')

  await one.page.route('**/loyalty.v1.ProgrammeService/StoreDraft', (route) => route.abort())
  await changed(one, '"percentage": 15', '"percentage": 17')
  await one.page.getByText('Not stored yet: the service cannot be reached.').waitFor()
  await changed(other, '"maximum": 50000', '"maximum": 60000')
  await other.page.getByLabel('Name of the draft').fill('Spring 2027')
  await other.page.getByText(/^Stored by marketing-/).waitFor()
  one.page.on('dialog', (dialog) => void dialog.accept())
  await one.page.reload()
  await one.page.unroute('**/loyalty.v1.ProgrammeService/StoreDraft')
  t.match(await draftOf(one.page), '"percentage": 17', 'it survives a reload')
  await one.page.getByText(/^marketing-\w+ has stored the draft since/).waitFor()
  t.same(await one.faults(), [], 'a conflict')
  await one.page.getByRole('link', { name: 'Take over these changes' }).click()
  await one.page.getByText(/^Changed by marketing-\w+ alone: is taken over/).waitFor()
  await one.page.getByRole('button', { name: 'Take over into the draft' }).click()
  await one.page.getByText(/^Stored by marketing-/).waitFor()
  const [draft] = (await one.call('ProgrammeService/ListDrafts', {}))['drafts'] as { draftId: string; name: string }[]
  t.equal(draft!.name, 'Spring 2027', 'a name, too')
  const { document } = await one.call('ProgrammeService/GetDraft', { draftId: draft!.draftId })
  for (const part of ['// since spring', '"percentage": 17', '"maximum": 60000']) t.match(document, part)
  await other.page.getByText(`Stored by ${nameOfToken('marketing', anna)}`).waitFor()

  await other.page.getByRole('button', { name: 'Throw away' }).click()
  await other.page.getByRole('dialog').getByRole('button', { name: 'Throw away' }).click()
  await other.page.getByText('There is no draft.').waitFor()
  await one.page.reload()
  await one.page.getByText('There is no such draft').waitFor()
  t.same([...one.complaints, ...other.complaints], [])
})

t.test('what is published is what was read, whatever others store meanwhile', async (t) => {
  const console = await aConsole(t, { env: { LOYALTY_TOKENS: `marketing:${anna},marketing:${bjorn}` } })
  if (console === null) return
  const [one, other] = [await console.signIn(anna), await console.signIn(bjorn)]
  const { document: inForce } = await one.call('ProgrammeService/GetProgramme', {})
  const named = (description: string) => JSON.stringify({ ...JSON.parse(inForce as string), description })
  const draft = { draftId: randomUUID(), name: 'Spring', baseVersion: 1 }
  const store = (by: typeof one, description: string, expectedRevision: number) =>
    by.call('ProgrammeService/StoreDraft', {
      ...{ ...draft, requestId: randomUUID(), document: named(description), expectedRevision },
    })
  await store(one, 'Read', 0)
  await one.go(`/programme/draft?draftId=${draft.draftId}`)
  await one.page.getByRole('button', { name: 'Publish …' }).click()
  const publish = one.page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true })
  await publish.click({ trial: true })
  await store(other, 'Not read', 1)
  await one.page.getByText(`Stored by ${nameOfToken('marketing', bjorn)}`).waitFor()
  await publish.click()
  await one.page.getByText('Version 2 is in force everywhere within 2 seconds.').waitFor()
  t.equal((await one.call('ProgrammeService/GetProgramme', {}))['document'], named('Read'))
  t.match(await other.call('ProgrammeService/GetDraft', { draftId: draft.draftId }), { document: named('Not read') })
})

t.test('a draft is published at a moment or not at all, and Today says which could not be', async (t) => {
  const console = await aSignedIn(t)
  if (console === null) return
  const { page, go, call, faults, complaints } = console
  const programme = JSON.parse((await call('ProgrammeService/GetProgramme', {}))['document'] as string)
  const named = (text: string) => JSON.stringify({ ...programme, description: text })
  await keepDraft(page, named('Spring'))
  await go('/programme/draft')
  await page.getByRole('button', { name: 'Publish …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Publish later').check()
  t.ok(await dialog.getByRole('button', { name: 'Publish', exact: true }).isDisabled(), 'without a moment')
  await dialog.getByLabel(/^When, /).fill('2024-05-17T06:00')
  await dialog.getByText('This moment is past.').waitFor()
  t.ok(await dialog.getByRole('button', { name: 'Schedule', exact: true }).isDisabled(), 'at a moment that is past')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Publish …' }).click()
  t.notOk(await dialog.getByLabel('Publish later').isChecked(), 'a moment that was cancelled')
  await dialog.getByLabel('Publish later').check()
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  await dialog.getByLabel(/^When, /).fill(`${tomorrow}T06:00`)
  t.same(await faults(), [], 'choosing a moment')
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
  await dialog.getByText('It will be published at:').waitFor()
  await dialog.getByRole('link', { name: 'See it' }).click()
  await page.getByRole('article').getByText('To be published').waitFor()
  t.same(await faults(), [], 'a scheduled publication')
  await go('/programme')
  await page.getByRole('link', { name: '1 publication is scheduled' }).click()
  await page.getByRole('cell', { name: /06:00/ }).waitFor()
  await page.locator('tbody a').first().click()
  await page.getByRole('button', { name: 'Cancel the publication …' }).click()
  await page.getByLabel('Reason, for colleagues').fill('Too early')
  await page.getByRole('button', { name: 'Cancel the publication', exact: true }).click()
  await page.getByText('The proposal has ended, and nothing was published.').waitFor()

  const scheduled = { document: named('Mine'), publishAt: new Date(Date.now() + 2_000), timeZone: 'Europe/Oslo' }
  const request = { requestId: randomUUID(), expectedVersion: 1 }
  await call('ProgrammeService/SchedulePublication', { ...request, ...scheduled })
  await call('ProgrammeService/PublishProgramme', { ...request, requestId: randomUUID(), document: named('Theirs') })
  const state = async () => {
    const { proposal } = await call('ProgrammeService/GetProposal', { proposalId: request.requestId })
    return (proposal as { state: string }).state
  }
  while ((await state()) === 'PROPOSAL_STATE_SCHEDULED') await page.waitForTimeout(200)
  await go('/today')
  await page.getByRole('link', { name: '1 scheduled publication failed' }).click()
  await page.getByText('Another version has changed the same entries since.').waitFor()
  t.same(await faults(), [], 'a publication that failed')
  await page.getByText('version 2 changed description').waitFor()
  await page.getByRole('button', { name: 'Go on as a draft' }).click()
  await page.getByRole('link', { name: 'Take over these changes' }).click()
  await page.getByRole('radio', { name: 'As in my draft' }).check()
  await page.getByRole('button', { name: 'Take over into the draft' }).click()
  await page.getByText(/^Stored by admin-/).waitFor()
  t.match(await draftOf(page), '"Mine"')
  t.same(complaints, [])
})
