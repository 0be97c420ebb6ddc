import { useMemo } from 'react'
import type { ShadowRunProgress } from '../../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { nowMs } from '../../../api/clock.js'
import { useWords } from '../../../i18n/words.js'
import { ErrorPanel } from '../../../parts/error-panel.js'
import { useDraft } from '../../../parts/use-draft.js'
import styles from '../programme.module.css'
import { textIn } from '../say/parts-of.js'
import { readDocument, useSaying } from '../say/use-saying.js'
import type { Subject } from '../subject.js'
import { useVersionDocument } from '../use-document.js'
import { type Candidate, candidatesIn } from './candidates.js'
import { ShadowReport } from './report.js'
import { useRunOf } from './use-run-of.js'

const dayMs = 86_400_000
const daysMax = 90

/** Prices the baskets of the last days with a programme that is not in force: what it would have cost. */
export function ShadowScreen({ subject }: { readonly subject: Subject }) {
  const t = useWords()
  const { key, document, baseVersion } = subject
  const [days, setDays] = useDraft(`${key}/shadow/days`, '7')
  const { run, start, stop } = useRunOf(key, document)
  const base = useVersionDocument(baseVersion).document
  const count = Number(days)
  const isReady = Number.isInteger(count) && count >= 1 && count <= daysMax
  const candidates = useMemo(() => {
    const before = base === null ? null : readDocument(base)
    return candidatesIn(readDocument(document) ?? {}, before, nowMs() - (isReady ? count : 1) * dayMs)
  }, [document, base, count, isReady])
  const [stored, store] = useDraft(`${key}/shadow/in-force`, '{}')
  const chosen = JSON.parse(stored) as Readonly<Record<string, boolean>>
  const isChosen = ({ benefitId, isNew }: Candidate) => chosen[benefitId] ?? isNew
  return (
    <>
      <form
        className={styles['shadow']}
        onSubmit={(event) => {
          event.preventDefault()
          const inForce = candidates.filter(isChosen).map(({ benefitId }) => benefitId)
          void start({ document, days: count, inForce })
        }}
      >
        {candidates.length > 0 && (
          <InForce
            document={document}
            candidates={candidates}
            isChosen={isChosen}
            onChoose={(benefitId, isOn) => store(JSON.stringify({ ...chosen, [benefitId]: isOn }))}
          />
        )}
        <div className={styles['form']}>
          <label>
            {t('shadow.days', { max: daysMax })}
            <input inputMode="numeric" value={days} onChange={(event) => setDays(event.target.value)} />
          </label>
          <button type="submit" data-main disabled={!isReady || run?.kind === 'running'}>
            {t('shadow.do')}
          </button>
          {run?.kind === 'running' && (
            <button type="button" onClick={stop}>
              {t('shadow.stop')}
            </button>
          )}
        </div>
      </form>
      {run === null && <p className="muted">{t('shadow.what')}</p>}
      {run?.kind === 'running' && <Progress progress={run.progress} />}
      {run?.kind === 'failed' && <ErrorPanel cause={run.cause} />}
      {run?.kind === 'done' && <ShadowReport question={run.asked} report={run.report} base={base} subjectKey={key} />}
    </>
  )
}

interface InForceProps {
  readonly document: string
  readonly candidates: readonly Candidate[]
  readonly isChosen: (candidate: Candidate) => boolean
  readonly onChoose: (benefitId: string, isOn: boolean) => void
}

/** Which benefits count as if they had been in force on past days; the others obey their dates, and give nothing there. */
function InForce({ document, candidates, isChosen, onChoose }: InForceProps) {
  const t = useWords()
  const documents = useMemo(() => [readDocument(document) ?? {}], [document])
  const saying = useSaying(documents)
  return (
    <fieldset className={styles['inForce']}>
      <legend>{t('shadow.notYet', { count: candidates.length })}</legend>
      {candidates.map((candidate) => {
        const { benefitId, benefit, isOff } = candidate
        const why = isOff ? t('shadow.isOff') : saying.from(textIn(benefit, 'validFrom'), null)
        return (
          <label key={benefitId}>
            <input
              type="checkbox"
              checked={isChosen(candidate)}
              onChange={({ target }) => onChoose(benefitId, target.checked)}
            />
            <span>
              {textIn(benefit, 'text') || benefitId} <span className="muted">({why})</span>
            </span>
          </label>
        )
      })}
      <p className="muted small">{t('shadow.asIf')}</p>
    </fieldset>
  )
}

function Progress({ progress }: { readonly progress: ShadowRunProgress | null }) {
  const t = useWords()
  const { done, total } = progress ?? { done: 0n, total: 0n }
  return (
    <div className={styles['progress']} role="status">
      <progress value={Number(done)} max={Math.max(1, Number(total))} aria-label={t('draft.shadow')} />
      <span>{t('shadow.progress', { done, total })}</span>
    </div>
  )
}
