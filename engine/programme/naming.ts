import type { Audience, Selector } from '../core/base/programme.js'
import type { ListedBenefit } from './read-benefit.js'
import type { ListedRule } from './read-earning.js'
import type { ProgrammeCollection } from './read-selector.js'

export interface Naming {
  readonly venueIds: readonly string[] | null
  readonly audiences: readonly { readonly path: string; readonly audience: Audience }[]
  readonly selectors: readonly NamedSelector[]
}

export interface NamedSelector {
  readonly path: string
  readonly selector: Selector
}

export function namingOfBenefit({ benefit, path }: ListedBenefit): Naming {
  const { venueIds, audience, conditions, reward } = benefit
  const at = `${path}.reward`
  const rewards =
    reward.kind === 'buy_get'
      ? [selected(`${at}.buy.select`, reward.buy.select), selected(`${at}.get.select`, reward.get.select)]
      : 'components' in reward
        ? reward.components.map(({ select }, place) => selected(`${at}.components[${place}].select`, select))
        : reward.kind === 'free_product'
          ? [selected(`${at}.per.select`, reward.per?.select)]
          : [selected(`${at}.select`, reward.select)]
  const { minimumSpend, requires = [] } = conditions ?? {}
  return {
    venueIds,
    audiences: audience === null ? [] : [{ path: `${path}.audience`, audience }],
    selectors: [
      ...rewards,
      selected(`${path}.conditions.minimumSpend.select`, minimumSpend?.select),
      ...requires.map(({ select }, place) => selected(`${path}.conditions.requires[${place}].select`, select)),
    ].flat(),
  }
}

export function namingOfRule({ rule, path }: ListedRule): Naming {
  const { venueIds, audience, multipliers, select, minimumSpend } = rule
  const own = audience === null ? [] : [{ path: `${path}.audience`, audience }]
  const further = multipliers.flatMap((multiplier, place) =>
    multiplier.audience === null
      ? []
      : [{ path: `${path}.multipliers[${place}].audience`, audience: multiplier.audience }],
  )
  return {
    venueIds,
    audiences: [...own, ...further],
    selectors: [
      ...selected(`${path}.select`, select ?? undefined),
      ...selected(`${path}.minimumSpend.select`, minimumSpend?.select),
    ],
  }
}

export function namingOfCollection({ select }: ProgrammeCollection, at: number): Naming {
  return { venueIds: null, audiences: [], selectors: selected(`collections[${at}].select`, select) }
}

function selected(path: string, selector: Selector | undefined): readonly NamedSelector[] {
  if (selector === undefined) return []
  return [{ path, selector }, ...selected(`${path}.not`, selector.not)]
}
