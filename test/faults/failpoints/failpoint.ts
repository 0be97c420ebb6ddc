/** A fault in a gateway, and its place. */
export type Failpoint =
  | { readonly kind: 'none' }
  /** Ends the process at the nth call of a store's method: before it is sent, while it is under way, or once it has ended. */
  | { readonly kind: 'kill'; readonly place: string; readonly when: KillMoment; readonly nth: number }
  /** Blocks the event loop for `ms`, repeatedly. */
  | { readonly kind: 'block'; readonly ms: number; readonly everyMs: number }
  /** Sets the process's wall clock off by `ms`. */
  | { readonly kind: 'clock'; readonly ms: number }
  /** Every nth basket that a thread prices never ends. */
  | { readonly kind: 'loop'; readonly nth: number }

export type KillMoment = 'before' | 'during' | 'after'

/** `kill ledger.confirm after 3`, `block 1000 2500`, `clock 301000`, `loop 5`, in the environment of the process. */
export const failpoint: Failpoint = readFailpoint(process.env['FAILPOINT'] ?? '')

function readFailpoint(text: string): Failpoint {
  const [kind, ...words] = text.split(' ')
  switch (kind) {
    case 'kill':
      return { kind, place: words[0]!, when: words[1] as KillMoment, nth: Number(words[2]) }
    case 'block':
      return { kind, ms: Number(words[0]), everyMs: Number(words[1]) }
    case 'clock':
      return { kind, ms: Number(words[0]) }
    case 'loop':
      return { kind, nth: Number(words[0]) }
    default:
      return { kind: 'none' }
  }
}

/** Settings that start a gateway's process with this failpoint. */
export function withFailpoint(text: string): Record<string, string> {
  return { FAILPOINT: text, NODE_OPTIONS: `--import ${new URL('preload.js', import.meta.url).href}` }
}
