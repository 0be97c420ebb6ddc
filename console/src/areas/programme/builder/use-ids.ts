import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { sessionQuery } from '../../../api/session.js'
import { useVenues } from '../../../api/venues.js'
import { useStoredProducts } from '../use-document.js'
import type { Node } from './json-text.js'
import { itemsOf, textIn } from './json-text.js'
import { type Amount, type Unit, unitOf } from './unit-of.js'

/** An id with its name for people; '' without one. */
export interface NamedId {
  readonly id: string
  readonly name: string
}

export interface Selectable extends NamedId {
  readonly list: (typeof selectorLists)[number]
}

/** Kinds of names that a selector has; a value of a field is `name=value`. */
export const selectorLists = [
  'productGroupIds',
  'collections',
  'productMasterIds',
  'eans',
  'productIds',
  'fields',
] as const

export function readFieldValue(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=')
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

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
const namedBeside = new Set(['venueId', 'currencyId', 'productId', 'productMasterId', 'ean'])
const plain = (id: string): NamedId => ({ id, name: '' })
/** Lists that the browser has. */
const standard: Readonly<Record<string, readonly NamedId[]>> = {
  timeZone: Intl.supportedValuesOf('timeZone').map(plain),
  currency: Intl.supportedValuesOf('currency').map((id) => ({
    id,
    name: new Intl.DisplayNames(document.documentElement.lang, { type: 'currency' }).of(id) ?? '',
  })),
}
const offeredMax = 200

export interface Known {
  readonly idsFor: (name: string) => readonly NamedId[]
  /** Groups, collections and values of fields, then products. */
  readonly selectable: readonly Selectable[]
}

export function useIds(top: Node | null): Known {
  const venues = useVenues()
  const stored = useStoredProducts()
  const channels = useQuery(sessionQuery).data?.channels
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
        if (name === 'channels') return (channels ?? []).map(plain)
        return standard[name] ?? (sources[name] ?? []).flatMap(listed).slice(0, offeredMax)
      },
      selectable: [
        ...selectableOf([...products, ...stored], listed('productGroupId')),
        ...(top === null ? [] : [...collectionsIn(top), ...fieldValuesIn(top)]),
      ],
    }
  }, [top, venues, stored, channels])
}

interface Product {
  readonly productId: string
  readonly name: string
  readonly productMasterId?: string | undefined
  readonly ean?: string | undefined
}

/** A product is named by its master, else its bar code, else its id. */
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

function productsIn(top: Node): readonly Product[] {
  const products = itemsOf(top, ['venues']).flatMap((venue) => itemsOf(venue, ['products']))
  return products.map((product) => ({
    productId: textIn(product, 'productId'),
    name: textIn(product, 'name'),
    productMasterId: textIn(product, 'productMasterId') || undefined,
    ean: textIn(product, 'ean') || undefined,
  }))
}

function collectionsIn(top: Node): readonly Selectable[] {
  return itemsOf(top, ['collections']).map((one) => ({
    list: 'collections',
    id: textIn(one, 'collectionId'),
    name: textIn(one, 'name'),
  }))
}

/** The values that some selector of the document names already. */
function fieldValuesIn(node: Node): readonly Selectable[] {
  const found = new Map<string, Selectable>()
  const look = (one: Node): void => {
    if (one.kind === 'list') for (const item of one.items) look(item)
    if (one.kind !== 'object') return
    for (const { name, value } of one.members) {
      if (name !== 'fields' || value.kind !== 'object') look(value)
      else
        for (const field of value.members)
          for (const item of itemsOf(field.value, []))
            if (item.kind === 'text') {
              const id = `${field.name}=${item.value}`
              found.set(id, { list: 'fields', id, name: '' })
            }
    }
  }
  look(node)
  return [...found.values()]
}

type Note = (source: string, id: string, name: string) => void

function collect(node: Node, source: string, note: Note): void {
  if (node.kind === 'list') for (const item of node.items) collect(item, source, note)
  if (node.kind === 'text') note(source, node.value, '')
  if (node.kind !== 'object') return
  const name = textIn(node, 'name')
  for (const member of node.members) {
    if (member.value.kind === 'text' && namedBeside.has(member.name)) note(member.name, member.value.value, name)
    else collect(member.value, member.name, note)
  }
}

export function useUnits(top: Node | null): (amount: Amount) => Unit | null {
  const venues = useVenues()
  return useMemo(() => {
    const known = new Map(venues.map(({ venueId, currency }) => [venueId, currency]))
    for (const venue of itemsOf(top, ['venues'])) known.set(textIn(venue, 'venueId'), textIn(venue, 'currency'))
    return (amount) => unitOf(top, amount, known)
  }, [top, venues])
}
