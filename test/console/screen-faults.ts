import type { Page } from 'playwright-core'

/**
 * Faults in a page's layout: elements wider than the window, or beyond its edge without a way to scroll there, and cut text. Empty: none.
 */
export async function layoutFaults(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(`(${layoutFaultsInPage})()`)) as string[]
}

const layoutFaultsInPage = `() => {
  const faults = []
  const root = document.documentElement
  if (root.scrollWidth > root.clientWidth) faults.push('the page is wider than its window: ' + root.scrollWidth)
  const main = document.querySelector('main')
  if (main !== null && main.scrollWidth > main.clientWidth) faults.push('the screen is wider than its place: ' + main.scrollWidth)
  const name = (element) => element.tagName + ' ' + element.className + ' ' + element.textContent.slice(0, 40)
  const scrolls = (element) => {
    for (let at = element.parentElement; at !== null; at = at.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth) return true
    }
    return false
  }
  for (const element of document.body.querySelectorAll('*')) {
    const { left, right, width, height } = element.getBoundingClientRect()
    const style = getComputedStyle(element)
    // Hidden, but read out.
    if (width <= 1 || height <= 1 || style.clipPath !== 'none' || !element.checkVisibility()) continue
    if ((right > innerWidth + 1 || left < -1) && !scrolls(element)) faults.push('beyond the window: ' + name(element))
    // A field scrolls by itself.
    if (element.matches('input, select')) continue
    const cuts = style.overflowX === 'hidden' || style.overflowX === 'clip'
    if (cuts && style.textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + 1) faults.push('cut: ' + name(element))
  }
  return faults
}`

/** A field of date and time is several stops of Tab. */
const stopsMax = 7

/** Controls that Tab does not reach from the top of the page, by their text. Empty: it reaches all of them. */
export async function unreached(page: Page): Promise<readonly string[]> {
  await page.evaluate(`document.activeElement?.blur()`)
  const controls = Number(await page.evaluate(`(${markInPage})()`))
  for (let at = 0; at < controls * stopsMax; at += 1) {
    await page.keyboard.press('Tab')
    if (Number(await page.evaluate(noteInPage)) === 0) break
  }
  return (await page.evaluate(
    `[...document.querySelectorAll('[data-unreached]')].map((one) => one.outerHTML.slice(0, 120))`,
  )) as string[]
}

/** Marks visible controls; of radio buttons of one name the keyboard reaches one. */
const markInPage = `() => {
  const seen = new Set()
  const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter((one) => {
    if (one.disabled || one.tabIndex < 0 || !one.checkVisibility({ visibilityProperty: true })) return false
    if (one.type !== 'radio') return true
    const isFirst = !seen.has(one.name)
    seen.add(one.name)
    return isFirst
  })
  for (const control of controls) control.dataset.unreached = ''
  return controls.length
}`

const noteInPage = `(() => {
  const { activeElement } = document
  delete activeElement.dataset.unreached
  return document.querySelectorAll('[data-unreached]').length
})()`
