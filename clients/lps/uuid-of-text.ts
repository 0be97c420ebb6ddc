import { createHash } from 'node:crypto'

/** A UUID, the same for the same text: a change that is asked for again under it is a repeat. */
export function uuidOfText(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
