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
      { file: 'lookahead', of: 'cycleOf' },
      { file: 'state-machines', of: 'cycleMachine' },
      { file: 'state-machines', of: 'canBeGot' },
      { file: 'state-machines', of: 'gotOf' },
    ],
    edits: [
      {
        file: 'lookahead',
        from: 'export function cycleOf({ lines, lineOffers, indexOf }, offer) {\n',
        to: 'export function cycleOf({ lines, lineOffers, indexOf }, offer) {\n    return null;\n',
      },
    ],
  },
  {
    name: 'dual ascent',
    pieces: [{ file: 'dual-ascent' }],
    edits: [
      {
        file: 'walk',
        from: 'this.dualAscent.sweep(this.best.worth + this.leastMore, sweeps);',
        to: 'this.dualAscent.sweep(this.best.worth + this.leastMore, 0);',
      },
    ],
  },
  {
    name: 'plain first walk',
    pieces: [],
    edits: [{ file: 'costs', from: 'const plainStepsMax = 150;', to: 'const plainStepsMax = 0;' }],
  },
  {
    name: 'first beam',
    pieces: [],
    edits: [{ file: 'costs', from: '    { sweeps: 3, near: 0.98, statesKept: 20 },\n', to: '' }],
  },
  {
    name: 'second beam',
    pieces: [],
    edits: [{ file: 'costs', from: '    { sweeps: 6, near: 0.99, statesKept: 100 },\n', to: '' }],
  },
  {
    name: 'third beam',
    pieces: [],
    edits: [{ file: 'costs', from: '    { sweeps: 8, near: 0.995, statesKept: 300 },\n', to: '' }],
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
      { file: 'beam', of: 'groupByBegun' },
      { file: 'bit-ranges', of: 'begunIn' },
    ],
    edits: [
      { file: 'costs', from: 'const bestShare = 0.5;', to: 'const bestShare = 1;' },
      {
        file: 'beam',
        from: 'const each = Math.ceil((statesKept * (1 - bestShare)) / groups)',
        to: 'const each = 0',
      },
    ],
  },
  {
    name: 'assignments near the bound',
    pieces: [{ file: 'dual-ascent', of: 'assignmentsNear' }],
    edits: [
      {
        file: 'walk',
        from: 'near === 0 ? this.lagrangian.open : dualAscent.assignmentsNear(near)',
        to: 'this.lagrangian.open',
      },
    ],
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
        file: 'plans-by-assignments',
        from: '    for (const [at, trimmed] of trimBought(instance, serves).entries()) {\n',
        to: '    for (const [at, trimmed] of [].entries()) {\n',
      },
    ],
  },
  {
    name: 'one offer by its automaton',
    pieces: [{ file: 'best-path' }],
    edits: [{ file: 'walk', from: 'if (this.automata.length === 1)', to: 'if (false)' }],
  },
  {
    name: 'rules for limits and maxima',
    pieces: [{ file: 'choose-by-rule' }],
    edits: [
      { file: 'choose-lines', from: 'chooseByRule(instance.lineInstance, component, task.stepsMax) ?? ', to: '' },
    ],
  },
  {
    name: 'bound by prices of units',
    pieces: [{ file: 'unit-price-bound' }],
    edits: [
      {
        file: 'unit-price-bound',
        from: 'unitPriceBound(instance, task, enough)',
        to: '{ bound: Number.POSITIVE_INFINITY, steps: 0 }',
      },
    ],
  },
  {
    name: 'branch and bound of small baskets',
    pieces: [{ file: 'small-basket' }, { file: 'line-assignments' }, { file: 'whole-times' }, { file: 'least-orders' }],
    edits: [{ file: 'small-basket', from: 'searched.bound > searched.settled.value', to: 'false' }],
  },
  {
    name: 'second walk',
    pieces: [],
    edits: [{ file: 'walk-component', from: 'if (!isOpen || ', to: 'if (true || ' }],
  },
  {
    name: 'plans worked out',
    pieces: [{ file: 'choose-within-rounding' }],
    edits: [{ file: 'choose-within-rounding', from: 'const mayClose = dearer === 0', to: 'const mayClose = false' }],
  },
  {
    name: 'replanned lines',
    pieces: [{ file: 'choose-among', of: 'replanned' }],
    edits: [
      {
        file: 'choose-among',
        from: 'const affordable = stepsMax * shares.first;',
        to: 'const affordable = -1;',
      },
    ],
  },
]
