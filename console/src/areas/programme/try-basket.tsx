import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import { CalculationService } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { useVenueZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { momentAt } from '../../parts/offsets.js'
import { Skeleton } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { BasketBuilder } from './basket-builder.js'
import { readBody } from './build-basket.js'
import { useProgrammeDraft } from './draft-store.js'
import styles from './programme.module.css'
import { Tried } from './tried.js'

/** What was asked for, as it was when the button was pressed. */
interface Asked {
  readonly bodyJson: string
  readonly draftDocument: string
  readonly requestedAt?: string
  readonly loyaltyId?: string
}

/** Prices a basket with the draft, for any member and at any time, without storing or holding anything. */
export function TryBasket() {
  const t = useWords()
  const draft = useProgrammeDraft()
  const [body, setBody] = useDraft('programme/try/body', '')
  const [loyaltyId, setLoyaltyId] = useDraft('programme/try/loyalty-id', '')
  const [at, setAt] = useDraft('programme/try/at', '')
  const zone = useVenueZone(readBody(body)?.context.venueId)
  const [asked, setAsked] = useState<Asked | null>(null)
  if (draft === null) return null
  const ask = () =>
    setAsked({
      bodyJson: body,
      draftDocument: draft.document,
      ...(at === '' ? {} : { requestedAt: momentAt(at, zone).toISOString() }),
      ...(loyaltyId.trim() === '' ? {} : { loyaltyId: loyaltyId.trim() }),
    })
  return (
    <>
      <BasketBuilder body={body} onBody={setBody} />
      <form
        className={styles['tried']}
        onSubmit={(event) => {
          event.preventDefault()
          ask()
        }}
      >
        <label className={styles['body']}>
          {t('try.body')}
          <textarea value={body} spellCheck={false} onChange={(event) => setBody(event.target.value)} />
        </label>
        <div className={styles['form']}>
          <label>
            {t('try.loyaltyId')}
            <input
              value={loyaltyId}
              placeholder={t('try.asBody')}
              onChange={(event) => setLoyaltyId(event.target.value)}
            />
          </label>
          <label>
            {t('try.at')}
            <input type="datetime-local" title={zone} value={at} onChange={(event) => setAt(event.target.value)} />
          </label>
          <button type="submit" data-main disabled={body.trim() === ''}>
            {t('try.do')}
          </button>
        </div>
      </form>
      {asked !== null && <Answer asked={asked} />}
    </>
  )
}

function Answer({ asked }: { readonly asked: Asked }) {
  const { bodyJson, draftDocument, ...supposed } = asked
  const query = useQuery(
    CalculationService.method.simulateBasket,
    { bodyJson, programme: { case: 'draftDocument', value: draftDocument }, ...supposed },
    { staleTime: 0, gcTime: 0 },
  )
  if (query.isPending) return <Skeleton />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  const sent = readBody(bodyJson)
  return sent === null ? null : <Tried answer={query.data} bodyJson={bodyJson} sent={sent} draft={draftDocument} />
}
