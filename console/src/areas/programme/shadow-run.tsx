import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { ShadowRunProgress } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useShadowRun } from '../../api/use-shadow-run.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { useDraft } from '../../parts/use-draft.js'
import { useProgrammeDraft } from './draft-store.js'
import styles from './programme.module.css'
import { ShadowReport } from './shadow-report.js'

const dayMs = 86_400_000
const daysMax = 90

/** Prices the baskets of the last days with the draft: what it would have cost. */
export function ShadowRun() {
  const t = useWords()
  const draft = useProgrammeDraft()
  const [days, setDays] = useDraft('programme/shadow/days', '7')
  const { run, start, stop } = useShadowRun<{ readonly document: string }>()
  const count = Number(days)
  const isReady = Number.isInteger(count) && count >= 1 && count <= daysMax
  if (draft === null) return null
  return (
    <>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault()
          const { document } = draft
          const from = timestampFromDate(new Date(Date.now() - count * dayMs))
          void start({ draftDocument: document, from }, { document })
        }}
      >
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
      </form>
      {run === null && <p className="muted">{t('shadow.what')}</p>}
      {run?.kind === 'running' && <Progress progress={run.progress} />}
      {run?.kind === 'failed' && <ErrorPanel cause={run.cause} />}
      {run?.kind === 'done' && <ShadowReport report={run.report} document={run.asked.document} />}
    </>
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
