import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from './client.js'
import { typeOfKey, vouchedBeside } from './keys.js'

const verbs = [
  'take_token',
  'find_answer',
  'survey',
  'vouch',
  'correct',
  'claim',
  'release',
  'keep',
  'remember',
  'read_journal',
  'journal_depth',
  'forget_journalled',
  'forget_answer',
  'reserve',
  'confirm_hold',
  'give_back',
  'load_counter',
  'keep_request',
] as const
type Verb = (typeof verbs)[number]

const scripts = new Map(verbs.map((verb) => [verb, readScript(verb)]))

interface ScriptCall {
  readonly keys: readonly string[]
  readonly args?: readonly (string | number | Uint8Array)[]
  readonly timeMs: number
}

/** By its digest, else its text. A key with foreign content is dropped and the script runs again, once a key. */
export async function runScript(
  client: Client,
  verb: Verb,
  { keys, args = [], timeMs }: ScriptCall,
): Promise<unknown[]> {
  const { digest, text } = scripts.get(verb)!
  // A key of another type hides another with foreign content, so each key may need its turn.
  for (let drops = 0; ; drops += 1) {
    try {
      return await run()
    } catch (error) {
      if (!isSpoiled(error) || drops === keys.length) throw error
      await dropSpoiled(client, keys, timeMs)
    }
  }

  async function run(): Promise<unknown[]> {
    try {
      return await send('evalsha', digest)
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return await send('eval', text)
    }
  }

  function send(command: string, script: string): Promise<unknown[]> {
    return client.send(command, [script, keys.length, ...keys, ...args], timeMs) as Promise<unknown[]>
  }
}

export function replyWord(reply: readonly unknown[]): string {
  return String(reply[0])
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

function readScript(verb: string): { readonly digest: string; readonly text: string } {
  const text = readFileSync(join(import.meta.dirname, 'lua', `${verb}.lua`), 'utf8')
  return { digest: createHash('sha1').update(text).digest('hex'), text }
}

const spoiledErrors =
  /^WRONGTYPE|not an integer|not a valid float|not a valid integer|invalid expire time|attempt to (perform arithmetic|compare|concatenate)/

export function isSpoiled(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && spoiledErrors.test(error.message)
}

/** Keys of another type than ours, else the first one. A vouched key takes its mark with it, so that the ledger is asked first. */
export async function dropSpoiled(client: Client, keys: readonly string[], timeMs: number): Promise<void> {
  const types = await Promise.all(keys.map((key) => client.send('type', [key], timeMs)))
  const foreign = keys.filter((key, index) => !['none', typeOfKey(key)].includes(String(types[index])))
  await dropKeys(client, foreign.length > 0 ? foreign : keys.slice(0, 1), timeMs)
}

export async function dropKeys(client: Client, keys: readonly string[], timeMs: number): Promise<void> {
  const marks = keys.flatMap((key) => vouchedBeside(key) ?? [])
  await client.send('unlink', [...new Set([...keys, ...marks])], timeMs)
  client.onGarbage?.(keys)
}
