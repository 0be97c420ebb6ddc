import type { Selector } from '../core/base/programme.js'
import { hasLists, rewardSelections } from './matching.js'
import type { NamedSelector, Naming } from './outline.js'
import type { PriceLists } from './price-lists.js'
import type { ListedBenefit } from './read-benefit.js'
import type { Warning } from './warning.js'

/** Paths where `includeNoDiscount` has effect (benefits 1): lines bought or counted, and lines left out. */
const countingPath = /\.(buy|per)\.select$|\.conditions\.|\.minimumSpend\.|\.not(\.|$)/

export function flagsWithoutEffect(benefits: readonly ListedBenefit[], namings: readonly Naming[]): Warning[] {
  const tiered = new Set(
    benefits.flatMap(({ benefit, path }) =>
      benefit.reward.kind === 'volume_percentage' ? [`${path}.reward.select`] : [],
    ),
  )
  const hasEffect = ({ path }: NamedSelector) => countingPath.test(path) || tiered.has(path)
  return namings.flatMap(({ selectors }) =>
    selectors
      .filter((named) => named.selector.includeNoDiscount === true && !hasEffect(named))
      .map(({ path }): Warning => {
        const message = 'includeNoDiscount has no effect here: noDiscount lines never get anything'
        return { path: `${path}.includeNoDiscount`, word: 'flag_without_effect', message }
      }),
  )
}

/** Thresholds over the whole basket for a reward on some lines: others reach them too. */
export function thresholdsOnAll(benefits: readonly ListedBenefit[]): Warning[] {
  return benefits.flatMap(({ benefit: { conditions, reward }, path }): Warning[] => {
    if (rewardSelections(reward).every((select) => select === undefined)) return []
    const { minimumSpend, requires = [] } = conditions ?? {}
    const open = [
      ...(minimumSpend !== undefined && minimumSpend.amount > 0 && minimumSpend.select === undefined
        ? ['minimumSpend']
        : []),
      ...requires.flatMap(({ select }, at) => (select === undefined ? [`requires[${at}]`] : [])),
    ]
    const message = 'counts all goods, also those that the reward does not select; write select: {} if that is meant'
    return open.map((field) => ({ path: `${path}.conditions.${field}`, word: 'threshold_on_all', message }))
  })
}

/** Barcodes with a price or a weight in them, printed by scales (GS1: prefixes 02 and 20 to 29). */
const scaleBarcode = /^0?2/

export function measuresOfPieces(benefits: readonly ListedBenefit[], prices: PriceLists): Warning[] {
  return benefits.flatMap(({ benefit, path }): Warning[] => {
    const { reward, conditions } = benefit
    const measured: (readonly [string, Selector | undefined])[] = [
      ...(reward.kind === 'volume_percentage' && reward.measure === true
        ? [[`${path}.reward.measure`, reward.select] as const]
        : []),
      ...(conditions?.requires ?? []).flatMap(({ select, measure }, at) =>
        measure === true ? [[`${path}.conditions.requires[${at}].measure`, select] as const] : [],
      ),
    ]
    return measured.flatMap(([at, select]): Warning[] => {
      const listed = select !== undefined && hasLists(select) ? prices.matched(benefit, select) : []
      const first = listed.find(({ product: { ean } }) => ean !== null && !scaleBarcode.test(ean))
      if (first === undefined) return []
      const message = `${first.product.productId} is sold by the piece at ${first.venueId}: its units count as kilograms do`
      return [{ path: at, word: 'measure_of_pieces', message }]
    })
  })
}
