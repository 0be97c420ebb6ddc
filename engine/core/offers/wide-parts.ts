import type { BasisLine } from '../base/basis.js'
import type { SelectedUnits } from '../base/programme.js'
import { holds } from '../match/line-index.js'
import { type Matched, type Positions, unitsOn } from '../match/matched-lines.js'
import type { CompiledSelector } from '../match/selector.js'
import { type BundlePart, unitsEach } from './offer.js'

/** A component that most of up to 20,000 lines fit; its list is rarely needed, so made on demand. */
class WidePart implements BundlePart {
  private cached: Positions | null = null

  constructor(
    readonly quantity: number,
    readonly left: Positions,
    private readonly select: CompiledSelector,
    private readonly matched: Matched,
  ) {}

  get lines(): Positions {
    this.cached ??= this.matched.whole(this.select)
    return this.cached
  }
}

/** Components of a bundle, and all of their lines. */
export interface WideParts {
  readonly parts: readonly BundlePart[]
  readonly lines: Positions
}

/**
 * Components of a bundle if some fit most lines, each alone has the units of all, and all lines may be discounted;
 * otherwise null.
 */
export function widePartsOf(
  selects: readonly CompiledSelector[],
  components: readonly SelectedUnits[],
  { lines, matched }: { readonly lines: readonly BasisLine[]; readonly matched: Matched },
): WideParts | null {
  if (!selects.some(({ every, not }) => every && not !== null) || matched.hasFlags(false)) return null
  const wanted = unitsEach(components)
  const every = matched.everyUnit()
  const parts: BundlePart[] = []
  let open: Positions | null = null
  for (let index = 0; index < selects.length; index++) {
    const select = selects[index]!
    const { quantity } = components[index]!
    const left = matched.leftOut(select)
    const part =
      left === null ? { lines: matched.whole(select), quantity } : new WidePart(quantity, left, select, matched)
    const units = left === null ? unitsOn(lines, part.lines, wanted) : every - unitsOn(lines, left, every)
    if (units < wanted) return null
    parts.push(part)
    open ??= left
  }
  if (open === null) return null
  const missing = open.filter((at) => !parts.some((part) => has(part, at)))
  const isAll = missing.length === 0
  return { parts, lines: isAll ? matched.every() : matched.every().filter((at) => !holds(missing, at)) }
}

function has(part: BundlePart, at: number): boolean {
  return part.left === undefined ? holds(part.lines, at) : !holds(part.left, at)
}
