import { useState } from 'react'
import { useWords } from '../../../i18n/words.js'
import { useDraft } from '../../../parts/use-draft.js'
import { readRequest } from '../../calculations/read-basket.js'
import type { Subject } from '../subject.js'
import { Outcome, type Question } from './outcome.js'
import styles from './try.module.css'

/** The body of a basket call exactly as a POS sends it, for another member or at another time too. */
export function Pasted({ subject }: { readonly subject: Subject }) {
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
          <label>
            {t('try.card')}
            <input
              value={loyaltyId}
              placeholder={t('try.asBody')}
              onChange={(event) => setLoyaltyId(event.target.value)}
            />
          </label>
          <label>
            {t('try.at')}
            <input type="datetime-local" value={at} onChange={(event) => setAt(event.target.value)} />
          </label>
          <button type="submit" data-main disabled={!isBasket}>
            {t('try.do')}
          </button>
        </div>
      </form>
      {question !== null && <Outcome question={question} subject={subject} />}
    </>
  )
}

/** Whether a text is a basket, as far as its receipt needs it; whatever else is wrong with it the service says. */
function isBody(text: string): boolean {
  try {
    const { context } = JSON.parse(text) as { readonly context?: { readonly venueId?: unknown } }
    return typeof context?.venueId === 'string' && readRequest(text) !== null
  } catch {
    return false
  }
}
