import { useQuery } from '@connectrpc/connect-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { VenueService } from '../../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { nowMs } from '../../../api/clock.js'
import { namesOf, type ProgrammeNames } from '../../../api/programme.js'
import { newId } from '../../../api/transport.js'
import { useVenues } from '../../../api/venues.js'
import { useWords } from '../../../i18n/words.js'
import { Button, Check, Field, Select, TextLink } from '../../../parts/controls.js'
import { DayField } from '../../../parts/day-field.js'
import { withLocal } from '../../../parts/offsets.js'
import { digitsOf, readScaled } from '../../../parts/scaled.js'
import { Empty, ErrorPanel, Skeleton } from '../../../parts/states.js'
import { useDraft, useSettled } from '../../../parts/use-draft.js'
import { readRequest } from '../../calculations/read-basket.js'
import { listIn, partIn, textIn, textsIn } from '../describe/saying.js'
import { readDocument } from '../describe/use-saying.js'
import { draftSubject, type Subject, useProgrammeDraft } from '../draft-store.js'
import {
  type Buyer,
  basketOf,
  bodyOf,
  emptyBasket,
  type PricedVenue,
  searchOf,
  sumOfLine,
  type TriedBasket,
} from './basket.js'
import { BuyerFields, BuyerHas } from './buyer-fields.js'
import { LineList, ProductPicker } from './line-list.js'
import { Outcome, type Question } from './outcome.js'
import styles from './try.module.css'

/** Prices a basket with a programme that is not in force, and compares with the one in force. Nothing is stored or held. */
function TryScreen({ subject }: { readonly subject: Subject }) {
  const t = useWords()
  const { tab } = useSearch({ strict: false }) as { readonly tab?: string }
  const isPasted = tab === 'body'
  return (
    <>
      <nav aria-label={t('draft.try')} className={styles['tabs']}>
        <TextLink to="." search={{} as never} aria-current={isPasted ? undefined : 'page'} text={t('try.build')} />
        <TextLink
          to="."
          search={{ tab: 'body' } as never}
          aria-current={isPasted ? 'page' : undefined}
          text={t('try.paste')}
        />
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
          <DayField label={t('try.when')} value={at} withTime onText={(text) => change({ at: text })} />
          <Check
            className={styles['check']}
            text={t('try.unlimited')}
            checked={basket.ignoreLimits}
            onCheck={(ignoreLimits) => change({ ignoreLimits })}
          />
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

function VenueField({ venueId, onVenue }: { readonly venueId: string; readonly onVenue: (venueId: string) => void }) {
  const t = useWords()
  return (
    <Select
      label={t('sale.venue')}
      value={venueId}
      onText={onVenue}
      options={[
        ['', t('try.chooseVenue')],
        ...useVenues().map((venue) => [venue.venueId, venue.name || venue.venueId] as const),
      ]}
    />
  )
}

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

function Priced({ basket, venue, timeZone, subject, names }: PricedProps) {
  const later = useSettled(basket)
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

export function DraftTry() {
  const draft = useProgrammeDraft()
  return draft === null ? null : <TryScreen subject={draftSubject(draft)} />
}

function Pasted({ subject }: { readonly subject: Subject }) {
  const t = useWords()
  const [body, setBody] = useDraft(`${subject.key}/body`, '')
  const [loyaltyId, setLoyaltyId] = useDraft(`${subject.key}/loyalty-id`, '')
  const [at, setAt] = useDraft(`${subject.key}/at`, '')
  const [question, setQuestion] = useState<Question | null>(null)
  const isBasket = isBody(body)
  return (
    <>
      <form
        className={styles['basket']}
        onSubmit={(event) => {
          event.preventDefault()
          setQuestion({
            bodyJson: body,
            ignoreLimits: false,
            ...(at === '' ? {} : { requestedAt: new Date(at).toISOString() }),
            ...(loyaltyId.trim() === '' ? {} : { loyaltyId: loyaltyId.trim() }),
          })
        }}
      >
        <label className={styles['body']}>
          {t('try.body')}
          <textarea
            value={body}
            spellCheck={false}
            aria-invalid={body.trim() !== '' && !isBasket}
            onChange={(event) => setBody(event.target.value)}
          />
        </label>
        {body.trim() !== '' && !isBasket && <p className="lost">{t('try.noBody')}</p>}
        <div className={styles['fields']}>
          <Field label={t('sale.loyaltyId')} value={loyaltyId} placeholder={t('try.asBody')} onText={setLoyaltyId} />
          <DayField label={t('try.at')} value={at} withTime onText={setAt} />
          <Button type="submit" data-main disabled={!isBasket} text={t('try.do')} />
        </div>
      </form>
      {question !== null && <Outcome question={question} subject={subject} />}
    </>
  )
}

function isBody(text: string): boolean {
  try {
    const { context } = JSON.parse(text) as { readonly context?: { readonly venueId?: unknown } }
    return typeof context?.venueId === 'string' && readRequest(text) !== null
  } catch {
    return false
  }
}

/** The basket to try: of the address where it has one, else as it was left in this tab. */
function useBasket(key: string) {
  const item = `draft/${key}/basket`
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>
  const navigate = useNavigate()
  const [basket, setBasket] = useState(() => basketOf(search) ?? stored(item) ?? emptyBasket)
  const text = JSON.stringify(basket)
  useEffect(() => {
    sessionStorage.setItem(item, text)
    void navigate({ to: '.', search: searchOf(JSON.parse(text) as TriedBasket) as never, replace: true })
  }, [item, text, navigate])
  return [basket, setBasket] as const
}

function stored(item: string): TriedBasket | null {
  const text = sessionStorage.getItem(item)
  return text === null ? null : (JSON.parse(text) as TriedBasket)
}
