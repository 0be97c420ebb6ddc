/**
 * The cost model of the search: costs of work, the budget and its shares, and limits of size.
 *
 * A step is about a microsecond of one core. Work is counted, not timed, so that the same basket always gets the same
 * answer. Costs were measured in optimised code; a change of one is a change of how many baskets the budget proves.
 */

/**
 * Budget in steps of one basket in the service, the bench and wherever nothing else is asked for: measured with
 * `npm run bench -- engine/search`, fewer leave realistic baskets unproven, and with more a hostile basket holds its
 * thread longer than 50 ms.
 */
export const searchStepsMax = 12_000

const nanosPerStep = 1000

export function stepsOf(nanoseconds: number): number {
  return nanoseconds / nanosPerStep
}

export function nanosIn(steps: number): number {
  return steps * nanosPerStep
}

export const nanos = {
  /** A number of a table looked at: a use that a state may have, a transition for a first bound. */
  look: 3,
  entry: 16,
  state: 30,
  transition: 55,
  share: 25,
  amount: 45,
  priced: 60,
  placed: 120,
  /** An entry of a table or list made: a transition of an automaton, an assignment, a line of an offer to choose from. */
  made: 200,
} as const

export const stepsPerLine = 1

export const searchStepsMin = 15

export function lineSteps(offerCount: number): number {
  return stepsPerLine + stepsOf(offerCount * nanos.amount)
}

/** Lines of all offers of a walk that cost nothing to set out with, and steps of each other one. */
export const plainRolesMax = 256
export const stepsPerRole = 6

/** Plans of an assignment of a line to which stackable maximum amounts can apply. */
export const cappedPlans = 4

/** Offers that a state remembers without a transition taking longer. */
export const plainWidth = 32

/** Normal order discounts that are mostly worked out below stackable ones; the others are seen to be less. */
export const normalsPlaced = 4

export const sharesPerUse = 4

/** Searches that a basket with costed benefits may take, each under other numbers of uses of these. */
export const boxesMax = 400

/** Rounds over its lines of one of several searches of a basket, in addition to its counted steps. */
export const setupRounds = 4

/** Numbers of uses, side by side, from which their range is halved. */
export const halvedFrom = 4

export const shares = {
  /** For a first walk with all multipliers 0. */
  plain: 0.05,
  start: 0.3,
  /** For work whose results the rest needs: a component, a line of a walk, plans to be bounded. */
  first: 0.5,
  automata: 0.7,
  /** For plans with stackable maximum amounts; the rest is for those without, which bound them. */
  capped: 0.4,
  /** After this much no other exclusive benefit is searched: its setup could take more than the rest. */
  spent: 0.9,
} as const

/** Equal shares of the rest that one line of a walk may take. */
export const equalShares = 6

export const plainStepsMax = 150

export const stepsKeptPerLine = 20

export const startsJudged = 2

export const aloneStepsMax = 400
export const aloneStepsInAllMax = 4000

/** Steps to set out for a search of one benefit alone: most of a microsecond each goes into lists, not into counted work. */
export const aloneSetupSteps = 60

/** Sweeps of dual ascent and the walk after each: assignments that reach this share of the bound, and states kept after a line. */
export const searches: readonly { readonly sweeps: number; readonly near: number; readonly statesKept: number }[] = [
  { sweeps: 3, near: 0.98, statesKept: 20 },
  { sweeps: 6, near: 0.99, statesKept: 100 },
  { sweeps: 8, near: 0.995, statesKept: 300 },
  { sweeps: 0, near: 0, statesKept: Number.POSITIVE_INFINITY },
]

/** States after a line of a walk, or of one offer there, above which it is given up. */
export const statesMax = 20_000

/** Assignments of one line above which it is not searched by them. */
export const assignmentsMax = 2000

export const trialsPerAssignment = 4

/** Lines, and lines of all offers together, of a basket that branch and bound may enumerate. */
export const smallLinesMax = 8
export const smallCellsMax = 40

/** Splits of the units of one line among limited offers that are looked at. */
export const limitedSplitsMax = 60_000

/** Splits of one line among benefits that are looked through; a line that needs more keeps a proven bound instead. */
export const splitsMax = 512

/** Choices of which lines follow others that are each searched by themselves. */
export const followingsMax = 16

export const splitContendersMax = 2

/** Pieces of a line that are tried or rounded one by one; the others are bounded. */
export const piecesTriedMax = 20

/** Stackable maximum amounts on one line above which each line is planned by itself, and the maxima bound the rest. */
export const bindingOnLineMax = 2

/** Lines of all offers up to which prices of units bound, and up to which the prices are improved. */
export const pricedCellsMax = 1000
export const improvedCellsMax = 40

/** Rounds over all lines in which each price is improved, and halvings of its range in each. */
export const priceRoundsMax = 2
export const priceHalvings = 40

/** Lines of order benefits, over all choices of a normal one, up to which each choice is bounded closely. */
export const closeCellsMax = 200_000

/** Shares of order discounts after which no other choice of a normal benefit is worked out. */
export const sharesPlacedMax = 40_000

/** Lines of order benefits, over all choices, up to which each choice is weighed line by line. */
export const weighedCellsMax = 10_000

/** Weighings of one choice of order benefits; one, once the budget is spent, if all might take more than `weighingStepsMax`. */
export const alternativesMax = 16
export const weighingStepsMax = 1000

/** Times an amount that its lines hold, up to which it may be all that they cost in the end. */
export const takenTimes = 4
