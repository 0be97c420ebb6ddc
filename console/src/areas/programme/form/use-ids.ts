import { useMemo } from 'react'
import { useVenues } from '../../../api/venues.js'
import type { Node } from './json-text.js'

/** Under which names a document has what a field of another name may hold. */
const sources: Readonly<Record<string, readonly string[]>> = {
  venueIds: ['venueId'],
  memberIds: ['memberId'],
  currencyId: ['currencyId'],
  tiers: ['tierId', 'tier'],
  segments: ['segments'],
  productId: ['productId'],
  productIds: ['productId'],
  productGroupIds: ['productGroupId'],
  productMasterIds: ['productMasterId'],
  eans: ['ean'],
  campaign: ['campaign'],
}
const channels = ['pos', 'mpos']
/** Of each field; more are typed. */
const offeredMax = 200

/** Ids that a document, and the service for its venues, has for a field of a name. */
export function useIds(top: Node | null): (name: string) => readonly string[] {
  const venues = useVenues()
  return useMemo(() => {
    const texts = new Map<string, Set<string>>()
    if (top !== null) collect(top, '', texts)
    return (name) => {
      if (name === 'channels') return channels
      const own = (sources[name] ?? []).flatMap((source) => [...(texts.get(source) ?? [])])
      const known = name === 'venueIds' ? venues.map(({ venueId }) => venueId) : []
      return [...new Set([...own, ...known])].slice(0, offeredMax)
    }
  }, [top, venues])
}

/** Every text of a document by the name of its member. */
function collect(node: Node, name: string, texts: Map<string, Set<string>>): void {
  if (node.kind === 'list') for (const item of node.items) collect(item, name, texts)
  if (node.kind === 'object') for (const member of node.members) collect(member.value, member.name, texts)
  if (node.kind === 'text') texts.set(name, (texts.get(name) ?? new Set()).add(node.value))
}
