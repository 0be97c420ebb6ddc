/** A piece of code of the engine: a whole file, or a function or method in it. */
export interface Piece {
  /** Name of the file, which is the only one of it below engine/core. */
  readonly file: string
  readonly of?: string
}

/** A replacement in the compiled text of a file. */
interface Edit {
  readonly file: string
  /** Stands in the file exactly once. */
  readonly from: string
  readonly to: string
}

/** A part of the search that can be left out. */
export interface Mechanism {
  readonly name: string
  /** The code that would go with it. */
  readonly pieces: readonly Piece[]
  /** Leave it out. */
  readonly edits: readonly Edit[]
}

/** The mechanisms of the search, and how the compiled engine runs without each. */
export const mechanisms: readonly Mechanism[] = [
  {
    name: 'cycles',
    pieces: [
      { file: 'coming', of: 'cycleOf' },
      { file: 'counters', of: 'tightCounter' },
      { file: 'counters', of: 'isDealt' },
      { file: 'counters', of: 'gotOf' },
    ],
    edits: [
      {
        file: 'coming',
        from: 'export function cycleOf({ lines, lineOffers, indexOf }, offer) {\n',
        to: 'export function cycleOf({ lines, lineOffers, indexOf }, offer) {\n    return null;\n',
      },
    ],
  },
  {
    name: 'dual ascent',
    pieces: [{ file: 'charges' }],
    edits: [
      {
        file: 'walk',
        from: 'this.charges.sweep(this.best.worth + this.leastMore, sweeps);',
        to: 'this.charges.sweep(this.best.worth + this.leastMore, 0);',
      },
    ],
  },
  {
    name: 'plain first walk',
    pieces: [],
    edits: [{ file: 'walk', from: 'const plainStepsMax = 150;', to: 'const plainStepsMax = 0;' }],
  },
  {
    name: 'first beam',
    pieces: [],
    edits: [{ file: 'walk', from: '    { sweeps: 3, near: 0.98, statesKept: 20 },\n', to: '' }],
  },
  {
    name: 'second beam',
    pieces: [],
    edits: [{ file: 'walk', from: '    { sweeps: 6, near: 0.99, statesKept: 100 },\n', to: '' }],
  },
  {
    name: 'third beam',
    pieces: [],
    edits: [{ file: 'walk', from: '    { sweeps: 8, near: 0.995, statesKept: 300 },\n', to: '' }],
  },
  {
    name: 'all beams',
    pieces: [],
    edits: [
      {
        file: 'walk',
        from: '        const most = this.walk(statesKept',
        to: '        if (Number.isFinite(statesKept)) continue;\n        const most = this.walk(statesKept',
      },
    ],
  },
  {
    name: 'beam groups',
    pieces: [
      { file: 'walk/narrow', of: 'groupByBegun' },
      { file: 'fields', of: 'begunIn' },
    ],
    edits: [
      { file: 'walk/narrow', from: 'const mostShare = 0.5;', to: 'const mostShare = 1;' },
      {
        file: 'walk/narrow',
        from: 'const each = Math.ceil((statesKept * (1 - mostShare)) / groups)',
        to: 'const each = 0',
      },
    ],
  },
  {
    name: 'ways near',
    pieces: [{ file: 'charges', of: 'waysNear' }],
    edits: [{ file: 'walk', from: 'near === 0 ? this.prices.open : charges.waysNear(near)', to: 'this.prices.open' }],
  },
  {
    name: 'the whole walk',
    pieces: [],
    edits: [
      {
        file: 'walk-component',
        from: 'const first = scratch.during(() => walk(component, task, false));',
        to: 'return { ...task.start, bound: Number.POSITIVE_INFINITY, steps: 0 };',
      },
    ],
  },
  {
    name: 'greedy first',
    pieces: [],
    edits: [{ file: 'solve', from: ': [planGreedily, walkComponent,', to: ': [walkComponent, planGreedily,' }],
  },
  {
    name: 'trim bought',
    pieces: [{ file: 'trim-bought' }],
    edits: [
      {
        file: 'plans-by-ways',
        from: '    for (const [at, trimmed] of trimBought(ground, serves).entries()) {\n',
        to: '    for (const [at, trimmed] of [].entries()) {\n',
      },
    ],
  },
  {
    name: 'one offer off its track',
    pieces: [{ file: 'read-track' }],
    edits: [{ file: 'walk', from: 'if (this.tracks.length === 1)', to: 'if (false)' }],
  },
  {
    name: 'rules for limits and maxima (bounded)',
    pieces: [{ file: 'bounded' }],
    edits: [{ file: 'choose-lines', from: 'chooseBounded(field.ground, component) ?? ', to: '' }],
  },
  {
    name: 'bound by prices of units',
    pieces: [{ file: 'unit-price-bound' }],
    edits: [
      {
        file: 'unit-price-bound',
        from: 'unitPriceBound(ground, weights, start.worth + more) ?? ',
        to: '',
      },
    ],
  },
  {
    name: 'branch and bound of small baskets',
    pieces: [{ file: 'small-basket' }, { file: 'line-ways' }, { file: 'whole-times' }, { file: 'order-ways' }],
    edits: [{ file: 'small-basket', from: 'searched.bound > searched.settled.value', to: 'false' }],
  },
  {
    name: 'second walk',
    pieces: [],
    edits: [{ file: 'walk-component', from: 'if (!isOpen || ', to: 'if (true || ' }],
  },
  {
    name: 'plans worked out',
    pieces: [{ file: 'choose-rounded' }],
    edits: [{ file: 'choose-rounded', from: 'const mayClose = dearer === 0', to: 'const mayClose = false' }],
  },
  {
    name: 'replanned lines',
    pieces: [{ file: 'choose-among', of: 'replanned' }],
    edits: [
      {
        file: 'choose-among',
        from: 'const affordable = stepsMax * replanShareMax;',
        to: 'const affordable = -1;',
      },
    ],
  },
]
