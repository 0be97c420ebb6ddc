import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import type { BasketBody } from '../e2e/basket.js'
import { aSignedIn, type SignedIn } from './a-console.js'
import { hostileText, sell } from './a-shop.js'
import { type Screen, type Shown, screensOf } from './screens.js'

export const roles = ['reader', 'support', 'marketing', 'admin'] as const
const tokenOf = (role: string) => `${role}-token-of-the-screens-test`

/** A service that has sold, and the screens that show it. */
export interface Shop extends SignedIn {
  readonly screens: readonly Screen[]
}

/** null: there is no browser here. @param baskets  that POSes have sent */
export async function aShop(t: Test, own: BasketBody, baskets: number): Promise<Shop | null> {
  const programme: BasketBody = { ...own, experiments: [experimentOf(own)] }
  const LOYALTY_TOKENS = roles.map((role) => `${role}:${tokenOf(role)}`).join()
  const document = JSON.stringify(programme)
  const signedIn = await aSignedIn(t, { env: { LOYALTY_TOKENS }, token: tokenOf('admin'), programme: document })
  if (signedIn === null) return null
  const { service, call } = signedIn
  const sold = await sell(service, programme, baskets)
  const url = 'https://crm.example/in'
  const { webhook } = await call('EventService/CreateWebhook', { requestId: randomUUID(), url })
  const member = { memberId: programme['members'][0].memberId }
  const currencyId = programme['currencies'][0].currencyId
  await call('ValueService/AdjustValue', {
    requestId: randomUUID(),
    member,
    currencyId,
    amount: 3,
    reason: hostileText,
  })
  const counters = (await call('LimitService/ListLimits', {}))['counters'] as Shown['limit'][]
  const limit = counters.find(({ subject }) => subject !== undefined)
  const [record] = (await call('AuditService/ListAuditRecords', {}))['records'] as { auditId: string }[]
  const proposed = { ...programme, benefits: programme['benefits'].slice(1) }
  const { proposalId } = (await call('ProgrammeService/ProposeProgramme', {
    ...{ requestId: randomUUID(), document: JSON.stringify(proposed), expectedVersion: 1, note: hostileText },
  })) as { proposalId: string }
  const { webhookId } = webhook as { webhookId: string }
  const shown = { ...sold, limit: limit!, webhookId, proposalId, auditId: record!.auditId }
  return { ...signedIn, screens: screensOf(programme, shown) }
}

/** One with a holdout too small for the shop's members to be in it. */
function experimentOf({ benefits }: BasketBody) {
  const benefitIds = [benefits.at(-1).benefitId]
  const from = '2026-01-01T00:00:00Z'
  return { experimentId: 'first', name: hostileText, benefitIds, holdout: 0.0001, from, metric: 'net' }
}

/** A signed-in person with a role, in a browser of their own. */
export interface Visitor {
  readonly page: Page
  /** Goes to a path of the console, and waits until nothing loads any more. */
  visit(path: string): Promise<void>
  /** The page's errors since the last call. */
  complaints(): readonly string[]
}

/** @param look  options of the browser: its window and colours */
export async function aVisitor(t: Test, { page: own, service }: Shop, role: string, look: object): Promise<Visitor> {
  const context = await own
    .context()
    .browser()!
    .newContext({ locale: 'en-GB', ...look })
  t.teardown(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // Before the sign-in, calls are refused with 401.
    if (message.type() === 'error' && !/status of 401/.test(message.text())) complaints.push(message.text())
  })
  const visit = async (path: string) => {
    await page.goto(`${service.internalUrl}/console${path}`)
    await settled(page)
  }
  await page.goto(`${service.internalUrl}/console`)
  await page.getByLabel('Token').fill(tokenOf(role))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
  return { page, visit, complaints: () => complaints.splice(0) }
}

/** Begins a draft in the visitor's browser: some screens show nothing without. */
export async function beginDraft({ page, visit }: Visitor): Promise<void> {
  await visit('/programme/draft')
  await page.getByRole('button', { name: 'Begin with version 1' }).click()
  await page.getByRole('link', { name: 'JSON' }).waitFor()
}

async function settled(page: Page): Promise<void> {
  await page.locator('main :is(h1, h2)').first().waitFor()
  // A skeleton shows after 150 ms.
  await page.waitForTimeout(200)
  const loading = page.locator('main').getByText('Loading', { exact: true })
  await loading.first().waitFor({ state: 'detached' })
}
