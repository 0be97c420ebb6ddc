import { parseArgs } from 'node:util'

export const reconcileHelp = `lps reconcile --since <time> [--until <time>] [--json]

Recomputes every limit counter from the records and lists what differs, and counts calculations, sales and discrepancies of the
period: calculations by when they were answered, sales by when they were recorded. Reads DATABASE_URL, or without it the
embedded ledger in LOYALTY_DATA (default .data), and writes nothing.
  <time>  RFC 3339, such as 2026-11-21T00:00:00+01:00, or a date (UTC); --since is inclusive, --until exclusive
Exit code 0: every counter is what the records make it; 1: one is not; 2: it could not be looked at.`

export type ReconcileOptions =
  | { readonly kind: 'faulty'; readonly message: string }
  | { readonly kind: 'read'; readonly since: string; readonly until: string | null; readonly json: boolean }

/** Reads the arguments of `lps reconcile`. */
export function readReconcileOptions(args: readonly string[]): ReconcileOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        since: { type: 'string' },
        until: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    if (values.since === undefined) return faulty('--since <time> is missing')
    const [since, until] = [readTime(values.since), values.until === undefined ? null : readTime(values.until)]
    if (since === undefined) return faulty('--since is no RFC 3339 time and no date')
    if (until === undefined) return faulty('--until is no RFC 3339 time and no date')
    if (until !== null && until <= since) return faulty('--until is not after --since')
    return { kind: 'read', since, until, json: values.json }
  } catch (error) {
    return faulty(error instanceof Error ? error.message : String(error))
  }
}

function faulty(message: string): ReconcileOptions {
  return { kind: 'faulty', message }
}

/** As an instant in UTC; undefined: it is none. */
function readTime(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2}))?$/.test(text)) return undefined
  const at = new Date(text)
  // `new Date` takes 30 February for 1 or 2 March.
  const day = new Date(text.slice(0, 10))
  if (Number.isNaN(at.getTime()) || day.toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined
  return at.toISOString()
}
