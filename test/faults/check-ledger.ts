import type { Evidence } from './evidence.js'
import type { CounterRow, LedgerRows } from './ledger-rows.js'

/** I1: in every limit, used and open together stay within the maximum, late events apart; nothing is negative. */
export function limitsKept({ rows, maxima, sightings }: Evidence): readonly string[] {
  const passed = rows.counters.flatMap((counter) => {
    const { used, open, late } = counter
    const maximum = maxima.get(counter.limitId)
    if (maximum === undefined) return [`${name(counter)} counts for a limit that no programme has`]
    if (used < 0 || open < 0 || late < 0) return [`${name(counter)}: used ${used}, open ${open}, late ${late}`]
    return used + open > maximum ? [`${name(counter)}: used ${used} + open ${open} > maximum ${maximum}`] : []
  })
  return [...passed, ...sightings]
}

/** I2: a full recount of reservations, calculations and sales equals the counters. */
export function countersRecounted({ rows }: Evidence): readonly string[] {
  const stateOf = new Map(rows.calculations.map(({ calculationId, state }) => [calculationId, state]))
  const saleOf = new Map(rows.sales.map((sale) => [sale.calculationId, sale]))
  const wrongCounters = rows.counters.flatMap((counter) => {
    const sums = { open: 0, used: 0, late: 0, released: 0 } as Record<string, number>
    for (const { counterId, state, units } of rows.reservations) {
      if (counterId === counter.counterId) sums[state] = (sums[state] ?? 0) + units
    }
    const agrees = sums['open'] === counter.open && sums['used'] === counter.used && sums['late'] === counter.late
    return agrees ? [] : [`${name(counter)}: ${said(counter)}, its reservations ${JSON.stringify(sums)}`]
  })
  const wrongReservations = rows.reservations.flatMap(({ calculationId, state }) => {
    const calculation = stateOf.get(calculationId) ?? 'not there'
    const fits = fittingStates[state]?.includes(calculation) ?? false
    const sold = state === 'released' || state === 'open' || saleOf.get(calculationId)?.status === 'applied'
    return fits && sold ? [] : [`a reservation of ${calculationId} is ${state}, its calculation ${calculation}`]
  })
  return [...wrongCounters, ...wrongReservations]
}

const fittingStates: Readonly<Record<string, readonly string[]>> = {
  open: ['open'],
  used: ['finalised'],
  late: ['expired', 'superseded'],
  released: ['open', 'finalised', 'abandoned', 'superseded', 'expired'],
}

/** I4: one sale per calculation, and each has changed the state of its calculation. */
export function salesOnce({ rows }: Evidence): readonly string[] {
  const states = new Map(rows.calculations.map(({ calculationId, state }) => [calculationId, state]))
  return [
    ...twice(rows.sales.map(({ calculationId }) => calculationId)).map((id) => `${id} has two sales`),
    ...twice(rows.calculations.map(({ calculationId }) => calculationId)).map((id) => `${id} is stored twice`),
    ...rows.sales.flatMap((sale) => misbookedSale(sale, states.get(sale.calculationId))),
  ]
}

function misbookedSale(
  { calculationId, status, discrepancies }: LedgerRows['sales'][number],
  state: string | undefined,
): readonly string[] {
  const word = { expired: 'late_event', superseded: 'superseded' }[state ?? '']
  const wanted = state === undefined ? 'unknown_calculation' : word
  const unknown = state !== undefined && discrepancies.includes('unknown_calculation')
  if (wanted !== undefined && !discrepancies.includes(wanted)) return [`sale of ${calculationId} lacks ${wanted}`]
  if (unknown) return [`sale of ${calculationId} was never joined to its calculation`]
  const settled = status === 'cancelled' ? 'abandoned' : 'finalised'
  if (state !== undefined && word === undefined && state !== settled) {
    return [`sale of ${calculationId} (${status}) met a calculation that is ${state}`]
  }
  return []
}

function twice(ids: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return ids.filter((id) => seen.has(id) || !seen.add(id))
}

function name({ limitId, subject, period }: CounterRow): string {
  return `counter ${[limitId, subject, period].filter(Boolean).join('|')}`
}

function said({ open, used, late }: CounterRow): string {
  return `open ${open}, used ${used}, late ${late}`
}
