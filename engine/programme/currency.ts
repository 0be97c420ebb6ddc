import { createRequire } from 'node:module'

interface CurrencyRecord {
  /** The last day of use; absent while in use. */
  readonly _to?: string
  /** `false`: not a means of payment, such as gold, a fund's unit or a test code. */
  readonly _tender?: string
}

interface CurrencyTables {
  readonly supplemental: {
    readonly currencyData: { readonly region: Readonly<Record<string, readonly Record<string, CurrencyRecord>[]>> }
  }
}

let activeCodes: ReadonlySet<string> | null = null

/** True for an active ISO 4217 currency by Unicode's CLDR, not for precious metals, funds and test codes (wire decisions 3, check 13). */
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
