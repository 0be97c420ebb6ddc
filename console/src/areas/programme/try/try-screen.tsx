import { useQuery } from '@connectrpc/connect-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { VenueService } from '../../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { nowMs } from '../../../api/clock.js'
import { newId } from '../../../api/new-id.js'
import { namesOf, type ProgrammeNames } from '../../../api/programme.js'
import { useVenues } from '../../../api/venues.js'
import { useWords } from '../../../i18n/words.js'
import { ErrorPanel } from '../../../parts/error-panel.js'
import { withLocal } from '../../../parts/offsets.js'
import { digitsOf } from '../../../parts/scaled.js'
import { Empty, Skeleton } from '../../../parts/states.js'
import { readScaled } from '../../members/read-scaled.js'
import { listIn, partIn, textIn, textsIn } from '../say/parts-of.js'
import { readDocument } from '../say/use-saying.js'
import type { Subject } from '../subject.js'
import { useLater } from '../use-later.js'
import { type Buyer, bodyOf, type PricedVenue, sumOfLine, type TriedBasket } from './basket.js'
import { BuyerFields, BuyerHas } from './buyer-fields.js'
import { LineList } from './line-list.js'
import { Outcome, type Question } from './outcome.js'
import { Pasted } from './pasted.js'
import { ProductPicker } from './product-picker.js'
import styles from './try.module.css'
import { useBasket } from './use-basket.js'

/** Prices a basket with a programme that is not in force, beside what the one in force gives. Nothing is stored or held. */
export function TryScreen({ subject }: { readonly subject: Subject }) {
  const t = useWords()
  const { tab } = useSearch({ strict: false }) as { readonly tab?: string }
  const isPasted = tab === 'body'
  return (
    <>
      <nav aria-label={t('draft.try')} className={styles['tabs']}>
        <Link to="." search={{} as never} aria-current={isPasted ? undefined : 'page'}>
          {t('try.build')}
        </Link>
        <Link to="." search={{ tab: 'body' } as never} aria-current={isPasted ? 'page' : undefined}>
          {t('try.paste')}
        </Link>
      </nav>
      {isPasted ? <Pasted subject={subject} /> : <Builder subject={subject} />}
    </>
  )
}

function Builder({ subject }: { readonly subject: Subject }) {
  const t = useWords()
  const [basket, setBasket] = useBasket(subject.key)
  const { venueId, lines, buyer, at } = basket
  const change = (part: Partial<TriedBasket>) => setBasket({ ...basket, ...part })
  const onBuyer = (next: Buyer) => change({ buyer: next })
  const query = useQuery(VenueService.method.getVenue, { venueId }, { enabled: venueId !== '' })
  const venue = query.data?.venue
  const known = useKnown(subject.document)
  return (
    <>
      <form className={styles['basket']} onSubmit={(event) => event.preventDefault()}>
        <div className={styles['fields']}>
          <VenueField venueId={venueId} onVenue={(next) => change({ venueId: next, lines: [] })} />
          <BuyerFields buyer={buyer} onBuyer={onBuyer} tiers={known.tiers} segments={known.segments} />
          <label>
            {t('try.when')}
            <input type="datetime-local" value={at} onChange={({ target }) => change({ at: target.value })} />
          </label>
          <label className={styles['check']}>
            <input
              type="checkbox"
              checked={basket.ignoreLimits}
              onChange={({ target }) => change({ ignoreLimits: target.checked })}
            />
            {t('try.unlimited')}
          </label>
          <BuyerHas buyer={buyer} onBuyer={onBuyer} names={known.names} />
        </div>
        {venueId === '' && <p className="muted">{t('try.begin')}</p>}
        {venueId !== '' && query.isPending && <Skeleton lines={3} />}
        {query.isError && <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />}
        {venue !== undefined && venue.products.length === 0 && (
          <Empty why={t('venues.noPrices')}>{t('try.noPricesWhat')}</Empty>
        )}
        {venue !== undefined && venue.products.length > 0 && (
          <>
            <ProductPicker
              products={venue.products}
              currency={venue.currency}
              onPick={({ productId }) => change({ lines: withProduct(lines, productId) })}
            />
            <LineList
              lines={lines}
              venue={venue}
              nameOf={(id) => venue.products.find(({ productId }) => productId === id)?.name || id}
              onLines={(next) => change({ lines: next })}
            />
          </>
        )}
      </form>
      {venue !== undefined && (
        <Priced basket={basket} venue={venue} timeZone={venue.timeZone} subject={subject} names={known.names} />
      )}
    </>
  )
}

interface VenueFieldProps {
  readonly venueId: string
  readonly onVenue: (venueId: string) => void
}

function VenueField({ venueId, onVenue }: VenueFieldProps) {
  const t = useWords()
  return (
    <label>
      {t('try.venue')}
      <select value={venueId} onChange={({ target }) => onVenue(target.value)}>
        <option value="">{t('try.chooseVenue')}</option>
        {useVenues().map((venue) => (
          <option key={venue.venueId} value={venue.venueId}>
            {venue.name || venue.venueId}
          </option>
        ))}
      </select>
    </label>
  )
}

/** One unit more of a product that is there, else a line more. */
function withProduct(lines: TriedBasket['lines'], productId: string): TriedBasket['lines'] {
  const at = lines.findIndex((line) => line.productId === productId && /^\d+$/.test(line.quantity))
  if (at === -1) return [...lines, { productId, quantity: '1', discount: '' }]
  return lines.map((line, other) => (other === at ? { ...line, quantity: String(Number(line.quantity) + 1) } : line))
}

interface PricedProps {
  readonly basket: TriedBasket
  readonly venue: PricedVenue
  readonly timeZone: string
  readonly subject: Subject
  readonly names: ProgrammeNames
}

/** What became of the basket, once nothing has been typed for a moment; nothing while a line comes to nothing. */
function Priced({ basket, venue, timeZone, subject, names }: PricedProps) {
  const later = useLater(basket)
  const question = useMemo((): Question | null => {
    const digits = digitsOf(venue.currency)
    const sums = later.lines.map((line) => sumOfLine(line, venue, digits))
    const whole = sums.filter((sum) => sum !== null)
    if (later.venueId !== venue.venueId || whole.length === 0 || whole.length < sums.length) return null
    const requestedAt = later.at === '' ? new Date(nowMs()).toISOString() : withLocal('', later.at, timeZone)
    return {
      bodyJson: bodyOf(whole, venue, { calculationId: newId(), requestedAt }),
      ignoreLimits: later.ignoreLimits,
      ...buyerOf(later.buyer, names),
    }
  }, [later, venue, timeZone, names])
  return question === null ? null : <Outcome question={question} subject={subject} />
}

/** What the service is to suppose about who buys. */
function buyerOf(buyer: Buyer, { currencies }: ProgrammeNames): Partial<Question> {
  if (buyer.kind === 'nobody') return { loyaltyId: '' }
  if (buyer.kind === 'known') return { loyaltyId: buyer.loyaltyId.trim() }
  const { tier, segment, visits, balances } = buyer
  const amounts = Object.entries(balances).flatMap(([currencyId, typed]) => {
    const amount = readScaled(typed, currencies.get(currencyId)?.scale ?? 0)
    return amount === null || amount < 0n ? [] : [[currencyId, amount] as const]
  })
  return {
    member: { memberId: 'anyone', ...(tier === '' ? {} : { tier }), segments: segment === '' ? [] : [segment] },
    ...(/^\d{1,9}$/.test(visits) ? { visits: BigInt(visits) } : {}),
    balances: Object.fromEntries(amounts),
  }
}

/** What a document names that somebody who need not exist may have. */
function useKnown(document: string) {
  return useMemo(() => {
    const read = readDocument(document) ?? {}
    const members = listIn(read, 'members')
    const entries = [...listIn(read, 'benefits'), ...listIn(read, 'earning')]
    const audiences = entries.map((entry) => partIn(entry, 'audience') ?? {})
    const earned = listIn(read, 'tiers').map((tier) => textIn(tier, 'tierId'))
    const tiers = [
      ...earned,
      ...audiences.flatMap((one) => textsIn(one, 'tiers')),
      ...members.map((one) => textIn(one, 'tier')),
    ]
    const segments = [...audiences, ...members].flatMap((one) => textsIn(one, 'segments'))
    const distinct = (texts: readonly string[]) => [...new Set(texts.filter((text) => text !== ''))].toSorted()
    const names = namesOf(readDocument(document) === null ? '' : document)
    return { names, tiers: distinct(tiers), segments: distinct(segments) }
  }, [document])
}
