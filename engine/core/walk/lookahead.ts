import { type BasisLine, compareAsSent } from '../base/basis.js'
import type { ComponentInstance } from '../model/instance.js'
import type { WalkLine } from './assignments.js'
import type { Eligibility, Lookahead } from './state-machines.js'

export function lookaheadOf(
  { lines, offers }: ComponentInstance,
  ownLines: readonly WalkLine[],
  index: number,
): Lookahead {
  const { shape } = offers[index]!
  const components = shape.kind === 'bundle' ? shape.components.length : 1
  const entries = ownLines.map(({ at, offers: own, eligibilities, roles }) => {
    const of = own.indexOf(index)
    const takes: number[] = []
    for (const role of roles[of]!) if (!role.isBought) takes.push(role.component)
    return { line: lines[at]!, eligibility: eligibilities[of]!, takes }
  })
  const takes: number[][] = []
  const pure: number[] = []
  let after = { takes: new Array<number>(components).fill(0), pure: 0 }
  for (let lineNumber = entries.length - 1; lineNumber >= 0; lineNumber--) {
    takes[lineNumber] = after.takes
    pure[lineNumber] = after.pure
    const { line, eligibility, takes: own } = entries[lineNumber]!
    const { pieces } = line
    after = {
      takes: own.length === 0 ? after.takes : after.takes.map((units, at) => units + (own.includes(at) ? pieces : 0)),
      pure: after.pure + (eligibility === 'pure' ? pieces : 0),
    }
  }
  const mixes = entries.some(({ eligibility }) => eligibility === 'either')
  return { pure, takes, level: levelsOf(entries), mixes, spends: spendsOf(ownLines, index) }
}

function spendsOf(ownLines: readonly WalkLine[], index: number): number[] {
  const spends = ownLines.map(() => 0)
  for (let lineNumber = ownLines.length - 1; lineNumber > 0; lineNumber--) {
    const { offers, uses } = ownLines[lineNumber]!
    const most = uses[offers.indexOf(index)]!.reduce((greatest, { spent }) => Math.max(greatest, spent), 0)
    spends[lineNumber - 1] = spends[lineNumber]! + most
  }
  return spends
}

// Units that can be bought after each line at the cost of the last 'either' line.
function levelsOf(entries: readonly { readonly line: BasisLine; readonly eligibility: Eligibility }[]): number[] {
  const level = entries.map(() => 0)
  let [next, run] = [entries.length, 0]
  for (let lineNumber = entries.length - 1; lineNumber >= 0; lineNumber--) {
    if (entries[lineNumber]!.eligibility !== 'either') continue
    const later = entries[next]?.line
    const isLevel = later !== undefined && compareAsSent(later, entries[lineNumber]!.line) === 0
    run = isLevel ? run + later.pieces : 0
    level.fill(run, lineNumber, next)
    next = lineNumber
  }
  return level
}
