import { percentageWhole } from '../base/money.js'
import type { StayingOrder, Tail } from '../model/tie-ground.js'
import type { Offer } from '../offers/offer.js'
import type { Entry, TieSheet } from './tie-sheet.js'

/** Writes the order level into the relaxation: what order discounts can take is limited by what lines gain before. */
export function addTail(sheet: TieSheet, { uses, outside, staying }: Tail): void {
  const gains = sheet.columns.map(({ line, least }, column) => ({ line, column, least }))
  const kept = staying.map((order) => addStaying(sheet, order))
  limitStays(sheet, kept, staying)
  const before: { column: number; offer: Offer }[] = []
  for (const [index, offer] of uses.entries()) {
    const inside = new Set(offer.lines.flatMap((position) => sheet.ground.indexOf.get(position) ?? []))
    const base = [...inside].reduce((sum, at) => sum + sheet.rests[at]!, outside[index]!)
    // Where own discounts come off, lines cost more than before.
    const baseMost = [...inside].reduce((sum, at) => sum + sheet.ground.lines[at]!.gross, outside[index]!)
    if (baseMost === 0 || offer.shape.kind !== 'order') continue
    const most = Math.min(offer.maximumAmount, offer.shape.takes(baseMost))
    const column = sheet.column('order', [-1, -1], 1, most)
    const share = (offer.percentage ?? percentageWhole) / percentageWhole
    const entries: Entry[] = [[column, 1]]
    for (const gain of gains) if (inside.has(gain.line)) entries.push([gain.column, share * gain.least])
    for (const each of kept.flat()) {
      const counts =
        each.line === -1 ? each.positions.every((position) => offer.lines.includes(position)) : inside.has(each.line)
      if (counts) entries.push([each.column, share])
    }
    for (const other of before) {
      if (other.offer.lines.every((position) => offer.lines.includes(position))) entries.push([other.column, share])
    }
    sheet.addShared(entries, offer.lines, share)
    sheet.row(entries, share * base + 0.5)
    before.push({ column, offer })
  }
}

function addStaying(sheet: TieSheet, { amount, lines, outside, outsideLines }: StayingOrder): Stay[] {
  const stays = lines.map(
    (line): Stay => ({ line, positions: [], column: sheet.column('stays', [-1, line], 1, amount) }),
  )
  if (outside > 0) {
    const column = sheet.column('stays', [-1, -1], 1, Math.min(amount, outside))
    stays.push({ line: -1, positions: outsideLines, column })
  }
  sheet.row(
    stays.map(({ column }): Entry => [column, 1]),
    amount,
  )
  return stays
}

function limitStays(sheet: TieSheet, kept: readonly (readonly Stay[])[], staying: readonly StayingOrder[]): void {
  const all = kept.flat()
  for (const line of new Set(all.map((each) => each.line))) {
    const here = all.filter((each) => each.line === line)
    const entries = here.map(({ column }): Entry => [column, 1])
    if (line === -1) {
      const most = staying.reduce((sum, { outside }) => sum + outside, 0)
      sheet.row(entries, most)
      continue
    }
    for (const [column, each] of sheet.columns.entries()) {
      if (each.line === line && each.role !== 'stays') entries.push([column, each.least])
    }
    sheet.addShared(entries, [sheet.ground.positions[line]!], 1)
    sheet.row(entries, sheet.rests[line]!)
  }
}

interface Stay {
  /** Index of the line; -1 for all lines outside. */
  readonly line: number
  readonly positions: readonly number[]
  readonly column: number
}
