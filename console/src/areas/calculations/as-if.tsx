import { useQuery } from '@connectrpc/connect-query'
import { type FormEvent, useState } from 'react'
import {
  CalculationService,
  type CalculationSummary,
  type SimulateBasketResponse,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus, UnchangedReason } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { useVenueZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { momentAt } from '../../parts/offsets.js'
import { Skeleton } from '../../parts/states.js'
import styles from './calculation.module.css'
import type { Receipt } from './read-basket.js'
import { receiptOfMessage } from './receipt-of-message.js'
import { Receipts } from './receipts.js'
import { BenefitReasons } from './why.js'

interface AsIfProps {
  readonly calculation: CalculationSummary
  readonly requestJson: string
  readonly before: Receipt
}

interface Supposed {
  /** Empty: as the basket says. */
  readonly loyaltyId: string
  /** As an input of date and time has it; empty: as the basket says. */
  readonly at: string
  readonly ignoreLimits: boolean
}

/** Prices the same basket as if another member had shown a card, or at another time. Nothing is stored or held. */
export function AsIf({ calculation, requestJson, before }: AsIfProps) {
  const t = useWords()
  const [typed, setTyped] = useState<Supposed>({ loyaltyId: calculation.loyaltyId ?? '', at: '', ignoreLimits: false })
  const [tried, setTried] = useState<Supposed | null>(null)
  const zone = useVenueZone(calculation.venueId)
  const query = useQuery(
    CalculationService.method.simulateBasket,
    {
      bodyJson: requestJson,
      loyaltyId: tried?.loyaltyId ?? '',
      ignoreLimits: tried?.ignoreLimits ?? false,
      ...(tried !== null && tried.at !== '' ? { requestedAt: momentAt(tried.at, zone).toISOString() } : {}),
    },
    { enabled: tried !== null, staleTime: 0 },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(typed)
  }
  return (
    <Part title={t('asIf.title')}>
      <form onSubmit={submit} className={styles['asIf']}>
        <label>
          {t('asIf.loyaltyId')}
          <input value={typed.loyaltyId} onChange={(event) => setTyped({ ...typed, loyaltyId: event.target.value })} />
        </label>
        <label>
          {t('asIf.at')}
          <input
            type="datetime-local"
            title={zone}
            value={typed.at}
            onChange={(event) => setTyped({ ...typed, at: event.target.value })}
          />
        </label>
        <label>
          {t('asIf.limits')}
          <select
            value={typed.ignoreLimits ? 'unused' : 'now'}
            onChange={(event) => setTyped({ ...typed, ignoreLimits: event.target.value === 'unused' })}
          >
            <option value="now">{t('asIf.limitsNow')}</option>
            <option value="unused">{t('asIf.limitsUnused')}</option>
          </select>
        </label>
        <button type="submit" data-main>
          {t('asIf.do')}
        </button>
      </form>
      {tried !== null && query.isPending && <Skeleton lines={4} />}
      {tried !== null && query.isError && <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />}
      {tried !== null && query.isSuccess && <Outcome answer={query.data} calculation={calculation} before={before} />}
    </Part>
  )
}

interface OutcomeProps extends Pick<AsIfProps, 'calculation' | 'before'> {
  readonly answer: SimulateBasketResponse
}

function Outcome({ answer, calculation, before }: OutcomeProps) {
  const t = useWords()
  const { currency, venueId } = calculation
  const reason =
    answer.status === CalculationStatus.UNCHANGED ? wordOf(t, 'unchanged', UnchangedReason, answer.reason) : ''
  const after = answer.basket === undefined ? before : receiptOfMessage(answer.basket)
  return (
    <>
      <p role="status">
        {wordOf(t, 'status', CalculationStatus, answer.status)}
        {reason !== '' && `: ${reason}`}
      </p>
      <Receipts before={before} after={after} currency={currency} venueId={venueId} />
      <BenefitReasons
        status={answer.status}
        reports={answer.explanation}
        programmeVersion={answer.programmeVersion}
        currency={currency}
        products={before.lines.map(({ productId }) => productId)}
        venueId={venueId}
      />
    </>
  )
}
