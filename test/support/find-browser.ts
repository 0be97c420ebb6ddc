import { existsSync } from 'node:fs'
import { installPackages } from './servers/find-binary.js'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The path of a Chromium: CHROMIUM, or where distributions install it, else installed with apt if we are root. null: there is none. */
export async function findBrowser(): Promise<string | null> {
  const found = lookFor()
  if (found !== null) return found
  await installPackages('chromium').catch(() => {})
  return lookFor()
}

function lookFor(): string | null {
  return process.env['CHROMIUM'] ?? places.find((place) => existsSync(place)) ?? null
}
