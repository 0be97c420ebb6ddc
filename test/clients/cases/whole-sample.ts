import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const clients = join(import.meta.dirname, '..', '..', '..', '..', 'clients')

/** The program of a client's README: its first basket, and after the line with its outcome the block with its sale and a return. */
export function wholeSample(client: string, language: string): string {
  const readme = readFileSync(join(clients, client, 'README.md'), 'utf8')
  const [basket = '', rest = ''] = [...readme.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block]) => block!,
  )
  return basket.replace(/.*applied 720\n/, (line) => line + rest)
}

export const printedBySample = 'applied 720\nrefund 360\n'
