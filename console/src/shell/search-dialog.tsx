import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useQueries } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { type ListedMember, MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { type ProgrammeNames, useProgrammeNames } from '../api/programme.js'
import { isNotFound } from '../api/transport.js'
import { useVenueNames } from '../api/venues.js'
import { areas } from '../areas/areas.js'
import { type MessageKey, useWords } from '../i18n/words.js'
import { Dialog } from '../parts/controls.js'
import { useSettled } from '../parts/use-draft.js'
import styles from './shell.module.css'

export function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const { hits, isLooking } = useHits(typed.trim())

  function press(event: KeyboardEvent) {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, hits.length - 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0))
    else if (event.key === 'Enter' && hits[active] !== undefined) {
      void navigate(placeOf(hits[active]))
      onClose()
    } else return
    event.preventDefault()
  }

  return (
    <Dialog title={t('search.title')} onClose={onClose}>
      <input
        autoFocus
        value={typed}
        aria-label={t('search.title')}
        placeholder={t('search.what')}
        onChange={(event) => {
          setTyped(event.target.value)
          setActive(0)
        }}
        onKeyDown={press}
      />
      <ul className={styles['results']}>
        {hits.map((hit, at) => (
          <li key={keyOfHit(hit)}>
            <Link {...placeOf(hit)} onClick={onClose} data-active={at === active || undefined}>
              <span>{hit.text}</span>
              <span className="muted">{t(hit.kind)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {typed.trim() !== '' && hits.length === 0 && !isLooking && <p className="muted">{t('search.nothing')}</p>}
    </Dialog>
  )
}

function placeOf({ path, search }: Hit) {
  return search === undefined ? { to: path } : { to: path, search }
}

export interface Hit {
  readonly path: string
  readonly search?: { readonly limitId: string }
  readonly kind: MessageKey
  readonly text: string
}

const pageSize = 5
const receipt = /^\d{1,15}$/
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function useHits(text: string): { readonly hits: readonly Hit[]; readonly isLooking: boolean } {
  const t = useWords()
  const typed = useSettled(text)
  const transport = useTransport()
  const { benefits } = useProgrammeNames(0)
  const venueName = useVenueNames()
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
          text: `${typed}, ${venueName(one.venueId)}`,
        })
      return [...found.calculations.map(hit('calculations')), ...unknown.map(hit('sales'))]
    },
    async () => {
      const found = await calculations.listCalculations({ transactionId: typed, pageSize })
      return found.calculations.map(({ calculationId, venueId }) => ({
        path: `/calculations/${calculationId}`,
        kind: 'search.transaction',
        text: `${typed}, ${venueName(venueId)}`,
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

/** Two hits with one key lead to the same screen. */
function keyOfHit({ path, search }: Hit): string {
  return search === undefined ? path : `${path}?${search.limitId}`
}

function benefitsOf(benefits: ProgrammeNames['benefits'], typed: string): readonly Hit[] {
  const wanted = typed.toLowerCase()
  if (wanted === '') return []
  return [...benefits.values()]
    .filter(({ benefitId, text }) => `${text} ${benefitId}`.toLowerCase().includes(wanted))
    .slice(0, pageSize)
    .map(({ benefitId, text }) => ({
      path: `/benefits/${encodeURIComponent(benefitId)}`,
      kind: 'search.benefit',
      text: `${text}, ${benefitId}`,
    }))
}

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
