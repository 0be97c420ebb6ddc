import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useQuery } from '@connectrpc/connect-query'
import { memo, useMemo, useRef } from 'react'
import {
  CalculationService,
  type SimulateBasketResponse,
} from '../../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { VenueService } from '../../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { nowMs } from '../../../api/clock.js'
import { namesOf } from '../../../api/programme.js'
import { newId } from '../../../api/transport.js'
import { useShadowRun } from '../../../api/use-shadow-run.js'
import { useVenues } from '../../../api/venues.js'
import { useWords } from '../../../i18n/words.js'
import { Button } from '../../../parts/controls.js'
import { ErrorPanel } from '../../../parts/states.js'
import { useSettled } from '../../../parts/use-draft.js'
import { readRequest } from '../../calculations/read-basket.js'
import { useReasonContext } from '../../calculations/reasons.js'
import { ReceiptSides } from '../../calculations/receipts.js'
import { listIn, type ProgrammePart, textIn, textsIn } from '../describe/saying.js'
import { readDocument } from '../describe/use-saying.js'
import { totalText } from '../shadow/report.js'
import { type Question, reasonOf, receiptOf } from '../try/outcome.js'
import styles from './builder.module.css'
import { examplesOf } from './example-baskets.js'
import { withoutComments, withValue } from './json-text.js'

interface ExamplesProps {
  readonly text: string
  readonly entry: number
}

const dayMs = 86_400_000
const days = 7

/** Beside the sentence of a benefit: who gets it, who just misses it and why, and what last week would have cost. */
export function Examples({ text, entry }: ExamplesProps) {
  return <Settled text={useSettled(text)} entry={entry} />
}

/** Not once for each key press: its calls have the whole document in their keys. */
const Settled = memo(function Settled({ text, entry }: ExamplesProps) {
  const t = useWords()
  // A benefit that is off yet is priced as it will be.
  const document = useMemo(
    () => withoutComments(withValue(text, ['benefits', entry, 'enabled'], 'true')),
    [text, entry],
  )
  const read = useMemo(() => readDocument(document) ?? {}, [document])
  const benefit = listIn(read, 'benefits')[entry] ?? null
  const venues = useVenues()
  const [venueId = venues[0]?.venueId ?? ''] = textsIn(benefit ?? {}, 'venueIds')
  const isStored = venues.some((one) => one.venueId === venueId)
  const venue = useQuery(VenueService.method.getVenue, { venueId }, { enabled: isStored }).data?.venue
  const examples = useMemo(() => {
    if (benefit === null || venue === undefined) return null
    const today = new Date(nowMs()).toISOString().slice(0, 10)
    return examplesOf({ benefit, document: read, venue, today, newId })
  }, [benefit, read, venue])
  if (benefit === null) return null
  const priced = { document, benefit, currency: venue?.currency ?? '', venueId }
  return (
    <section className={styles['examples']} aria-label={t('example.title')}>
      {examples === null && <p className="muted small">{t(isStored ? 'example.none' : 'example.noVenue')}</p>}
      <div className={styles['cards']}>
        {examples !== null && <Example title={t('example.gets')} question={examples.gets} {...priced} />}
        {examples?.misses != null && <Example title={t('example.misses')} question={examples.misses} {...priced} />}
      </div>
      <LastWeek document={document} benefitId={textIn(benefit, 'benefitId')} />
    </section>
  )
})

interface Answered {
  readonly question: Question
  readonly answer: SimulateBasketResponse
}

interface ExampleProps {
  readonly title: string
  readonly question: Question
  readonly document: string
  readonly benefit: ProgrammePart
  readonly currency: string
  readonly venueId: string
}

function Example({ title, question, document, benefit, currency, venueId }: ExampleProps) {
  const t = useWords()
  const priced = useQuery(
    CalculationService.method.simulateBasket,
    { ...question, programme: { case: 'draftDocument', value: document } },
    { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 },
  )
  // Until the next answer the basket before stays, whole.
  const shown = useRef<Answered | null>(null)
  if (priced.data !== undefined) shown.current = { question, answer: priced.data }
  const { question: asked = question, answer } = shown.current ?? {}
  const names = useMemo(() => namesOf(document), [document])
  const sent = readRequest(asked.bodyJson)!
  const { requestedAt } = JSON.parse(asked.bodyJson) as { readonly requestedAt: string }
  const products = sent.lines.map(({ productId }) => productId)
  const context = useReasonContext({ names, currency, products, venueId })
  if (answer === undefined) return null
  const reason = reasonOf(context, answer, { benefitId: textIn(benefit, 'benefitId'), requestedAt })
  const at = new Intl.DateTimeFormat(t.locale, {
    ...{ weekday: 'short', hour: '2-digit', minute: '2-digit' },
    ...(context.zone === undefined ? {} : { timeZone: context.zone }),
  }).format(new Date(requestedAt))
  return (
    <article className={styles['card']}>
      <ReceiptSides
        sides={[{ title: `${title}, ${at}`, receipt: receiptOf(answer, sent) }]}
        currency={currency}
        venueId={venueId}
      />
      <p className={reason.isGiven ? 'gained' : undefined}>{reason.text}</p>
    </article>
  )
}

interface LastWeekProps {
  readonly document: string
  readonly benefitId: string
}

function LastWeek({ document, benefitId }: LastWeekProps) {
  const t = useWords()
  const { run, start } = useShadowRun<string>()
  const ask = () => {
    const from = timestampFromDate(new Date(nowMs() - days * dayMs))
    void start({ draftDocument: document, from, asIfInForce: [benefitId] }, document)
  }
  const report = run?.kind === 'done' ? run.report : null
  const fate = report?.benefits.find((one) => one.benefitId === benefitId)
  return (
    <div className="row">
      <Button disabled={run?.kind === 'running'} onClick={ask} text={t('example.lastWeek')} />
      {run?.kind === 'failed' && <ErrorPanel cause={run.cause} />}
      {report !== null && (
        <p role="status">
          {run?.kind === 'done' && run.asked !== document && <span className="muted">{t('example.earlier')} </span>}
          {t('example.fate', { applied: fate?.applied ?? 0n, all: report.calculations })}{' '}
          {report.totals.map((total) => totalText(t, total)).join(' ')}
        </p>
      )}
    </div>
  )
}
