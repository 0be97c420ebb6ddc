import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const readme = readFileSync(join(import.meta.dirname, '..', '..', '..', 'README.md'), 'utf8')

/** The first shell block under a heading of README.md. */
export function shellBlock(heading: string): string {
  const section = readme.split(`\n## ${heading}\n`)[1]!
  return section.split('```sh\n')[1]!.split('```')[0]!
}
