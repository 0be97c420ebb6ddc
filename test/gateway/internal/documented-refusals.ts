import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'proto', 'loyalty', 'v1')

/** Reasons that every call may have (docs/api.md): they come from what all calls share. */
const ofAnyCall =
  'UNAUTHENTICATED PERMISSION_DENIED UNIMPLEMENTED MESSAGE_TOO_LARGE TOO_MANY_CALLS DEADLINE_EXCEEDED UNAVAILABLE'

let byCall: ReadonlyMap<string, ReadonlySet<string>> | null = null

/** Throws where the comment of a call, of which the API reference is made, does not name the reason of its refusal. */
export function assertDocumented(path: string, reason: string): void {
  const [, service = '', call = ''] = /^\/loyalty\.v1\.(\w+)\/(\w+)$/.exec(path) ?? []
  byCall ??= documentedRefusals()
  const known = byCall.get(`${service}/${call}`)
  if (known !== undefined && reason !== '' && !known.has(reason)) {
    throw new Error(`${service}/${call} refuses with ${reason}, which its comment in ${folder} does not name`)
  }
}

/** The reasons that follow "Errors:" in the comment of each call, with those of the call that it is "as for". */
function documentedRefusals(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>()
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8')
    const service = /^service (\w+)/m.exec(text)?.[1]
    for (const [, comment = '', call] of text.matchAll(/((?: *\/\/.*\n)*) *rpc (\w+)/g)) {
      const errors = comment.replaceAll(/\n *\/\/ /g, ' ').split('Errors:')[1] ?? ''
      const same = [...errors.matchAll(/as for (\w+)/g)].flatMap((each) => [...found.get(`${service}/${each[1]}`)!])
      const named = errors.match(/\b[A-Z][A-Z_]+[A-Z]\b/g) ?? []
      found.set(`${service}/${call}`, new Set([...ofAnyCall.split(' '), ...same, ...named]))
    }
  }
  return found
}
