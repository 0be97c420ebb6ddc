import { type ProgrammePart, partIn, textsIn } from './parts-of.js'
import type { Saying } from './saying.js'

const lists = ['productGroupIds', 'productMasterIds', 'eans', 'productIds'] as const

/** Which lines a selector takes, such as "Bakery and Cappuccino except Mug". */
export function linesText(saying: Saying, select: ProgrammePart | null): string {
  const { t } = saying
  const named = select === null ? [] : lists.flatMap((list) => textsIn(select, list)).map(saying.productName)
  const except = select === null ? null : partIn(select, 'not')
  const own = named.length === 0 ? t('says.everything') : saying.list(named)
  const below = select?.['children'] === true ? t('says.withBelow', { lines: own }) : own
  return except === null ? below : t('says.except', { lines: below, except: linesText(saying, except) })
}

/** Units of lines, such as "2 of Cappuccino". */
export function unitsText(saying: Saying, units: ProgrammePart): string {
  const lines = linesText(saying, partIn(units, 'select'))
  return saying.t('says.units', { count: Number(units['quantity'] ?? 1), lines })
}
