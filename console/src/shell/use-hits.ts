import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { type ListedMember, MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { type ProgrammeNames, useProgrammeNames } from '../api/programme.js'
import { isNotFound } from '../api/read-error.js'
import { areas } from '../areas/areas.js'
import { type MessageKey, useWords } from '../i18n/words.js'

/** Something that a search found. */
export interface Hit {
  /** Where it is shown. */
  readonly path: string
  /** What the list there is filtered by. */
  readonly search?: { readonly limitId: string }
  readonly kind: MessageKey
  readonly text: string
}

/** Of each kind. */
const pageSize = 5
const receipt = /^\d{1,15}$/
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What a text names: a calculation and its sale, benefits by a part of their text or id, limits and members by how their ids begin, baskets of a receipt or transaction, an area. */
export function useHits(text: string): { readonly hits: readonly Hit[]; readonly isLooking: boolean } {
  const t = useWords()
  const typed = useSettled(text)
  const transport = useTransport()
  const { benefits } = useProgrammeNames(0)
  const calculations = createClient(CalculationService, transport)
  const sales = createClient(SaleService, transport)
  const members = createClient(MemberService, transport)
  const isUuid = uuid.test(typed)

  const looks: readonly (() => Promise<readonly Hit[]>)[] = [
    async () => {
      if (!isUuid) return []
      const id = typed.toLowerCase()
      await calculations.getCalculation({ calculationId: id })
      return [{ path: `/calculations/${id}`, kind: 'search.calculation', text: id }]
    },
    async () => {
      if (!isUuid) return []
      const id = typed.toLowerCase()
      await sales.getSale({ calculationId: id })
      return [{ path: `/sales/${id}`, kind: 'search.sale', text: id }]
    },
    async () => hitsOf((await members.listMembers({ by: { case: 'memberIdPrefix', value: typed }, pageSize })).members),
    async () =>
      hitsOf((await members.listMembers({ by: { case: 'loyaltyIdPrefix', value: typed }, pageSize })).members),
    async () => {
      if (!receipt.test(typed)) return []
      const wanted = { receiptNumber: BigInt(typed), pageSize }
      const [found, sold] = await Promise.all([calculations.listCalculations(wanted), sales.listSales(wanted)])
      const known = new Set(found.calculations.map(({ calculationId }) => calculationId))
      const unknown = sold.sales.filter(({ calculationId }) => !known.has(calculationId))
      const hit =
        (area: string) =>
        (one: { readonly calculationId: string; readonly venueId: string }): Hit => ({
          path: `/${area}/${one.calculationId}`,
          kind: 'search.receipt',
          text: `${typed}, ${one.venueId}`,
        })
      return [...found.calculations.map(hit('calculations')), ...unknown.map(hit('sales'))]
    },
    async () => {
      const found = await calculations.listCalculations({ transactionId: typed, pageSize })
      return found.calculations.map(({ calculationId, venueId }) => ({
        path: `/calculations/${calculationId}`,
        kind: 'search.transaction',
        text: `${typed}, ${venueId}`,
      }))
    },
  ]
  const found = useQueries({
    queries: looks.map((look, at) => ({
      queryKey: ['search', at, typed],
      queryFn: () => look().catch((cause: unknown) => (isNotFound(cause) ? [] : Promise.reject(cause))),
      enabled: typed !== '',
    })),
  })
  const named = areas
    .filter(({ title }) => typed !== '' && t(title).toLowerCase().startsWith(typed.toLowerCase()))
    .map(({ path, title }): Hit => ({ path, kind: 'search.area', text: t(title) }))
  const all = [
    ...found.flatMap(({ data }) => data ?? []),
    ...benefitsOf(benefits, typed),
    ...limitsOf(benefits, typed),
    ...named,
  ]
  const hits = all.filter((hit, at) => all.findIndex((other) => keyOfHit(other) === keyOfHit(hit)) === at)
  return { hits, isLooking: typed !== text || found.some(({ isLoading }) => isLoading) }
}

/** Two hits of one key lead to the same. */
export function keyOfHit({ path, search }: Hit): string {
  return search === undefined ? path : `${path}?${search.limitId}`
}

/** Whoever types means the whole word: a call for each letter would be wasted. */
const settledMs = 200

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settledMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** Benefits of the programme in force. */
function benefitsOf(benefits: ProgrammeNames['benefits'], typed: string): readonly Hit[] {
  const wanted = typed.toLowerCase()
  if (wanted === '') return []
  return [...benefits.values()]
    .filter(({ benefitId, text }) => `${text} ${benefitId}`.toLowerCase().includes(wanted))
    .slice(0, pageSize)
    .map(({ benefitId, text }) => ({
      path: `/programme/benefits/${encodeURIComponent(benefitId)}`,
      kind: 'search.benefit',
      text: `${text}, ${benefitId}`,
    }))
}

/** Limits of the programme in force. */
function limitsOf(benefits: ProgrammeNames['benefits'], typed: string): readonly Hit[] {
  const wanted = typed.toLowerCase()
  if (wanted === '') return []
  return [...benefits.values()]
    .flatMap(({ limits }) => limits ?? [])
    .filter(({ limitId }) => limitId.toLowerCase().startsWith(wanted))
    .slice(0, pageSize)
    .map(({ limitId }) => ({ path: '/limits', search: { limitId }, kind: 'search.limit', text: limitId }))
}

function hitsOf(members: readonly ListedMember[]): readonly Hit[] {
  return members.map(({ member, loyaltyId }) => ({
    path: `/members/${encodeURIComponent(member!.memberId)}`,
    kind: 'search.member',
    text: [member!.memberId, loyaltyId].filter((id) => id !== '').join(', '),
  }))
}
