import { useMemo } from 'react'
import { useVenues } from '../../../api/venues.js'
import { useStoredProducts } from '../use-price-lists.js'
import { find, type Node } from './json-text.js'

/** An id, with what people call it; '' where nothing does. */
export interface NamedId {
  readonly id: string
  readonly name: string
}

/** A product of a price list, or a group of them, under the list of a selector that takes it. */
export interface Selectable extends NamedId {
  readonly list: 'productMasterIds' | 'eans' | 'productIds' | 'productGroupIds'
}

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
/** Ids of what has a name beside it. */
const namedBeside = new Set(['venueId', 'currencyId', 'productId', 'productMasterId', 'ean'])
const channels = ['pos', 'mpos'].map((id) => ({ id, name: '' }))
/** Of each field; more are typed. */
const offeredMax = 200

/** What a document, and the service for its venues, has for the fields of a form. */
export interface Known {
  /** Ids for a field of a name. */
  readonly idsFor: (name: string) => readonly NamedId[]
  /** Groups, then products. */
  readonly selectable: readonly Selectable[]
}

export function useIds(top: Node | null): Known {
  const venues = useVenues()
  const stored = useStoredProducts()
  return useMemo(() => {
    const ids = new Map<string, Map<string, string>>()
    const note = (source: string, id: string, name: string) => {
      const known = ids.get(source) ?? new Map<string, string>()
      if (!known.get(id)) known.set(id, name)
      ids.set(source, known)
    }
    if (top !== null) collect(top, '', note)
    for (const { venueId, name } of venues) note('venueId', venueId, name)
    for (const { productId, productGroupId, productMasterId, ean, name } of stored) {
      note('productId', productId, name)
      if (productMasterId !== undefined) note('productMasterId', productMasterId, name)
      if (ean !== undefined) note('ean', ean, name)
      if (productGroupId !== undefined) note('productGroupId', productGroupId, '')
    }
    const listed = (source: string) => [...(ids.get(source) ?? [])].map(([id, name]) => ({ id, name }))
    const products = top === null ? [] : productsIn(top)
    return {
      idsFor(name) {
        if (name === 'channels') return channels
        return (sources[name] ?? []).flatMap(listed).slice(0, offeredMax)
      },
      selectable: selectableOf([...products, ...stored], listed('productGroupId')),
    }
  }, [top, venues, stored])
}

interface Product {
  readonly productId: string
  readonly name: string
  readonly productMasterId?: string | undefined
  readonly ean?: string | undefined
}

/** A product is looked up by its master, else its bar code, else its id. */
function selectableOf(products: readonly Product[], groups: readonly NamedId[]): readonly Selectable[] {
  const found = new Map<string, Selectable>()
  for (const { productId, productMasterId, ean, name } of products) {
    const one: Selectable =
      productMasterId !== undefined
        ? { list: 'productMasterIds', id: productMasterId, name }
        : ean !== undefined
          ? { list: 'eans', id: ean, name }
          : { list: 'productIds', id: productId, name }
    found.set(`${one.list}/${one.id}`, one)
  }
  return [...groups.map((group) => ({ ...group, list: 'productGroupIds' as const })), ...found.values()]
}

/** The price lists of a document. */
function productsIn(top: Node): readonly Product[] {
  const venues = find(top, ['venues'])
  const items = venues?.kind === 'list' ? venues.items : []
  return items.flatMap((venue) => {
    const products = find(venue, ['products'])
    return (products?.kind === 'list' ? products.items : []).map((product) => ({
      productId: textIn(product, 'productId') ?? '',
      name: textIn(product, 'name') ?? '',
      productMasterId: textIn(product, 'productMasterId'),
      ean: textIn(product, 'ean'),
    }))
  })
}

type Note = (source: string, id: string, name: string) => void

/** Every text of a document by the name of its member. */
function collect(node: Node, source: string, note: Note): void {
  if (node.kind === 'list') for (const item of node.items) collect(item, source, note)
  if (node.kind === 'text') note(source, node.value, '')
  if (node.kind !== 'object') return
  const name = textIn(node, 'name') ?? ''
  for (const member of node.members) {
    if (member.value.kind === 'text' && namedBeside.has(member.name)) note(member.name, member.value.value, name)
    else collect(member.value, member.name, note)
  }
}

function textIn(node: Node, name: string): string | undefined {
  const value = find(node, [name])
  return value?.kind === 'text' ? value.value : undefined
}
