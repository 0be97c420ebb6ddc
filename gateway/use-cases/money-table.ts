/** Discount then and with a draft, in minor units: exact however many calculations it sums. */
export interface MoneyRow {
  readonly key: string
  readonly currency: string
  readonly discountThen: bigint
  readonly discountDraft: bigint
  /** Calculations in which it differs. */
  readonly changed: number
}

export interface MoneyTable {
  add(
    key: string,
    currency: string,
    amounts: { readonly before: number; readonly draft: number; readonly differs: boolean },
  ): void
  /** The largest difference first; ties by key, then currency. */
  rows(): readonly MoneyRow[]
}

export function createMoneyTable(): MoneyTable {
  const rows = new Map<string, MoneyRow>()
  return {
    add(key, currency, { before, draft, differs }) {
      // No currency holds a line feed.
      const place = `${currency}\n${key}`
      const known = rows.get(place) ?? { key, currency, discountThen: 0n, discountDraft: 0n, changed: 0 }
      rows.set(place, {
        ...known,
        discountThen: known.discountThen + BigInt(before),
        discountDraft: known.discountDraft + BigInt(draft),
        changed: known.changed + (differs ? 1 : 0),
      })
    },
    rows: () => [...rows.values()].sort(compareRows),
  }
}

function compareRows(left: MoneyRow, right: MoneyRow): number {
  const [one, other] = [gapOf(left), gapOf(right)]
  if (one !== other) return one > other ? -1 : 1
  const [first, second] = [`${left.key}\n${left.currency}`, `${right.key}\n${right.currency}`]
  return first < second ? -1 : first > second ? 1 : 0
}

function gapOf({ discountThen, discountDraft }: MoneyRow): bigint {
  const gap = discountDraft - discountThen
  return gap < 0n ? -gap : gap
}
