import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from './client.js'
import { dropSpoiled, isSpoiled } from './garbage.js'

/** Every verb of the cache that is a script; what each promises stands at the head of its file in `lua/`. */
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
] as const
type Verb = (typeof verbs)[number]

const scripts = new Map(verbs.map((verb) => [verb, readScript(verb)]))

interface ScriptCall {
  /** All keys the script touches, in the order of its header; they share a hash tag. */
  readonly keys: readonly string[]
  readonly args?: readonly (string | number | Uint8Array)[]
  readonly timeMs: number
}

/**
 * Runs a script by its digest, and sends its text where the server does not know it (first use, restart, SCRIPT FLUSH):
 * that reply means that nothing was run. Where what lies under a key is not ours, it is dropped and the script runs once more.
 * Resolves to the reply as the script gives it, every string as a Buffer.
 */
export async function runScript(
  client: Client,
  verb: Verb,
  { keys, args = [], timeMs }: ScriptCall,
): Promise<unknown[]> {
  const { digest, text } = scripts.get(verb)!
  try {
    return await run()
  } catch (error) {
    if (!isSpoiled(error)) throw error
    await dropSpoiled(client, keys, timeMs)
    return await run()
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

/** The first element of a script's reply: which of its reply words it gave. */
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
