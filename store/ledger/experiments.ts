export interface AdminExperiments {
  list(limit: number): Promise<readonly StoredExperiment[]>
  /** null: there is none. A sale counts a few seconds after its record. */
  find(experimentId: string): Promise<ExperimentRecord | null>
  findOfMember(memberId: string): Promise<readonly MemberOfExperiment[]>
  /** Leases sold baskets whose withheld benefits are to be priced: at most `max`, for a minute. */
  leaseWithheld(max: number): Promise<readonly WithheldBasket[]>
  /** Adds what a basket would have got besides, minor units; null: it cannot be priced. Once for each basket. */
  priceWithheld(basket: WithheldBasket, amount: number | null): Promise<void>
}

export interface StoredExperiment {
  readonly experimentId: string
  /** JSON of its name. */
  readonly name: string
  /** JSON of its metric and arms, as of `Experiment`. */
  readonly body: string
  readonly beginsAt: number | null
  readonly endsAt: number | null
}

export interface ExperimentRecord extends StoredExperiment {
  /** Members of several arms, in no sum. */
  readonly leftOut: number
  readonly sums: readonly ExperimentSum[]
  /** Sold baskets that wait for the price of their withheld benefits. */
  readonly waiting: readonly { readonly armId: string; readonly currency: string; readonly baskets: number }[]
}

export interface ExperimentSum {
  readonly armId: string
  readonly currency: string
  readonly day: string
  /** Changes of the day, by name (`member_figures`): whole numbers as text. */
  readonly figures: Readonly<Record<string, string>>
}

export interface MemberOfExperiment {
  readonly experimentId: string
  readonly name: string
  readonly armId: string
  readonly enteredAt: number
}

export interface WithheldBasket {
  readonly calculationId: string
  readonly experimentId: string
}
