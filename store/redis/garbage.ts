import type { Client } from './client.js'
import { typeOfKey, vouchedBeside } from './keys.js'

/** Errors with which a script or a command says that what lies under its keys is not what we have put there. */
const spoiledErrors =
  /^WRONGTYPE|not an integer|not a valid float|not a valid integer|invalid expire time|attempt to (perform arithmetic|compare|concatenate)/

/** Whether a command failed by what it found under its keys. */
export function isSpoiled(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && spoiledErrors.test(error.message)
}

/**
 * Drops those of a failed command's keys that have another type than ours have; where none has, the first key, whose content then is
 * not ours. What had to be vouched for takes its mark with it, so that the next decision asks the ledger first.
 *
 * @param keys  of one command, so that they share a slot
 */
export async function dropSpoiled(client: Client, keys: readonly string[], timeMs: number): Promise<void> {
  const types = await Promise.all(keys.map((key) => client.send('type', [key], timeMs)))
  const foreign = keys.filter((key, index) => !['none', typeOfKey(key)].includes(String(types[index])))
  await dropKeys(client, foreign.length > 0 ? foreign : keys.slice(0, 1), timeMs)
}

/** Drops keys of one slot whose content is not ours, and the mark that vouched for them. */
export async function dropKeys(client: Client, keys: readonly string[], timeMs: number): Promise<void> {
  const marks = keys.flatMap((key) => vouchedBeside(key) ?? [])
  await client.send('unlink', [...new Set([...keys, ...marks])], timeMs)
  client.onGarbage?.(keys)
}
