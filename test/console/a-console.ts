import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { type RunningService, startService, unhurried } from '../e2e/service.js'
import { findBrowser } from '../support/find-browser.js'

const root = join(import.meta.dirname, '..', '..', '..')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync']
const tokens = {
  reader: 'reader-token-of-the-console-tests',
  support: 'support-token-of-the-console-tests',
  marketing: 'marketing-token-of-the-console-tests',
  admin: 'admin-token-of-the-console-tests',
}
const patienceMs = 30_000

/** Text that would run, or become an element, where it were taken for HTML. */
export const script = '<img src=x onerror="document.title=1"><script>document.title=1</script>'

/** A service and a browser. */
export interface Console {
  readonly service: RunningService
  /** Signs in with the token of a role, in a browser context of its own. */
  as(role: keyof typeof tokens): Promise<SignedIn>
  signIn(token: string): Promise<SignedIn>
}

/** A page of a browser with a signed-in person. */
export interface SignedIn {
  readonly service: RunningService
  readonly page: Page
  /** Violations of the page's policy, and its errors. */
  readonly complaints: readonly string[]
  /** Goes to a path of the console. */
  go(path: string): Promise<void>
  /** Calls an internal service with the same token. */
  call(method: string, request: object): Promise<Record<string, unknown>>
  /** Findings of axe on the page. */
  faults(): Promise<unknown>
}

/** The sample programme with script in every text that people write. */
function hostileProgramme(): string {
  const programme = JSON.parse(readFileSync(join(root, 'engine', 'programme', 'sample-programme.json'), 'utf8'))
  programme.venues[0].name = `Oslo ${script}`.slice(0, 128)
  for (const product of programme.venues[0].products) product.name = `${product.name} ${script}`.slice(0, 128)
  for (const benefit of programme.benefits) benefit.text = `${benefit.benefitId} ${script}`.slice(0, 128)
  for (const currency of programme.currencies) currency.name = `${currency.name} ${script}`.slice(0, 64)
  return JSON.stringify(programme, null, 2)
}

/** Options of a test. */
export interface ConsoleOptions {
  /** Settings of the service in addition to those of every test. */
  readonly env?: Readonly<Record<string, string>>
  /** The document of its programme; absent: the sample with script in its texts. */
  readonly programme?: string
  /** The stores of the service; absent: in a folder of its own. */
  readonly folder?: string
}

/** A service and a signed-in person, an admin if no token is named; null: there is no browser here. */
export async function aSignedIn(
  t: Test,
  { token = tokens.admin, ...options }: ConsoleOptions & { readonly token?: string } = {},
): Promise<SignedIn | null> {
  const console = await aConsole(t, options)
  return console === null ? null : await console.signIn(token)
}

/** null: there is no browser here. */
export async function aConsole(t: Test, options: ConsoleOptions = {}): Promise<Console | null> {
  const executablePath = await findBrowser()
  if (executablePath === null) {
    t.comment('no Chromium here (CHROMIUM=/path/to/it): the console is not looked at')
    return null
  }
  const folder = mkdtempSync(join(tmpdir(), 'lps-areas-'))
  const programme = join(folder, 'programme.json')
  writeFileSync(programme, options.programme ?? hostileProgramme())
  const listed = Object.entries(tokens).map(([role, token]) => `${role}:${token}`)
  const service = await startService({
    ...(options.folder === undefined ? {} : { folder: options.folder }),
    env: { ...unhurried, LOYALTY_PROGRAM: programme, LOYALTY_TOKENS: listed.join(), ...options.env },
  })
  const browser = await chromium.launch({ executablePath, args, timeout: 120_000 })
  t.teardown(async () => {
    await browser.close()
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    service,
    signIn: (token) => signIn(service, browser, token),
    as: (role) => signIn(service, browser, tokens[role]),
  }
}

async function signIn(service: RunningService, browser: Browser, token: string): Promise<SignedIn> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  page.setDefaultTimeout(patienceMs)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) complaints.push(message.text())
  })
  await page.goto(`${service.internalUrl}/console`)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  return {
    service,
    page,
    complaints,
    go: async (path) => void (await page.goto(`${service.internalUrl}/console${path}`)),
    call: (method, request) => call({ service, token }, method, request),
    faults: () => axeFaults(page),
  }
}

/** Findings of axe on a page: rule and elements. */
export async function axeFaults(page: Page): Promise<unknown> {
  await page.evaluate(axe)
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
  )
}

interface Caller {
  readonly service: RunningService
  readonly token: string
}

async function call({ service, token }: Caller, method: string, request: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${service.internalUrl}/loyalty.v1.${method}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  })
  const answer = (await response.json()) as Record<string, unknown>
  if (!response.ok) throw new Error(`${method}: ${JSON.stringify(answer)}`)
  return answer
}

/** The text of the open draft: what the browser has not stored yet, else what the service has. */
export function draftOf(page: Page): Promise<string> {
  return page.evaluate<string>(`(async () => {
    const draftId = localStorage.getItem('draft/open')
    const unsent = localStorage.getItem('draft/unsent/' + draftId)
    if (unsent !== null) return JSON.parse(unsent).text
    const headers = { 'Content-Type': 'application/json', 'X-Loyalty-Console': '1' }
    const request = { method: 'POST', headers, body: JSON.stringify({ draftId }) }
    return (await (await fetch('/loyalty.v1.ProgrammeService/GetDraft', request)).json()).document
  })()`)
}

/** A draft that the browser has and the service has not. */
export async function keepDraft(page: Page, text: string, { baseVersion = 1, isChanged = true } = {}): Promise<void> {
  const draftId = randomUUID()
  const unsent = JSON.stringify({ name: '', isNamed: false, text, baseVersion, revision: 0, isChanged })
  const items = [['draft/open', draftId] as const, [`draft/unsent/${draftId}`, unsent] as const]
  for (const item of items) await page.evaluate(`localStorage.setItem(...${JSON.stringify(item)})`)
}

/** Replaces the text of the draft in the editor of its JSON. */
export async function typeDraft(page: Page, text: string): Promise<void> {
  await page.getByLabel('Programme, JSON').focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

/** Counts clicks, and choices of a list or a file; keys are free. */
export function aMouse() {
  let clicks = 0
  const counted =
    <Words extends unknown[]>(act: (...words: Words) => Promise<unknown>) =>
    async (...words: Words): Promise<void> => {
      clicks += 1
      await act(...words)
    }
  return {
    click: counted((target: Locator) => target.click()),
    choose: counted((target: Locator, option: string) => target.selectOption(option)),
    give: counted((target: Locator, name: string, text: string) =>
      target.setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) }),
    ),
    get clicks() {
      return clicks
    },
  }
}

/** Noon of the last day before today from Monday to Friday. */
export function aWeekday(): string {
  const day = new Date()
  do day.setUTCDate(day.getUTCDate() - 1)
  while ([0, 6].includes(day.getUTCDay()))
  return `${day.toISOString().slice(0, 10)}T12:00:00Z`
}
