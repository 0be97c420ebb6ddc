import { createRequire } from 'node:module'

interface CurrencyRecord {
  /** The last day of its use; absent while it is in use. */
  readonly _to?: string
  /** `false`: no money to pay with, such as gold, a fund's unit or a test code. */
  readonly _tender?: string
}

interface CurrencyTables {
  readonly supplemental: {
    readonly currencyData: { readonly region: Readonly<Record<string, readonly Record<string, CurrencyRecord>[]>> }
  }
}

let activeCodes: ReadonlySet<string> | null = null

/**
 * Whether a code is an active ISO 4217 currency: money that some country pays with today (wire decisions 3, check 13). Withdrawn
 * codes, precious metals, funds and the test codes are not. Taken from Unicode's CLDR, which dates every code's use.
 */
export function isActiveCurrency(code: string): boolean {
  activeCodes ??= readActiveCodes()
  return activeCodes.has(code)
}

function readActiveCodes(): ReadonlySet<string> {
  const tables = createRequire(import.meta.url)('cldr-core/supplemental/currencyData.json') as CurrencyTables
  const records = Object.values(tables.supplemental.currencyData.region).flatMap((uses) => uses.flatMap(Object.entries))
  return new Set(
    records.filter(([, record]) => record._to === undefined && record._tender !== 'false').map(([code]) => code),
  )
}
