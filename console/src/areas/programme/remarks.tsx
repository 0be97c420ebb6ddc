import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Skeleton } from '../../parts/states.js'
import styles from './editor.module.css'
import type { Remark, useRemarks } from './use-remarks.js'

interface RemarksProps {
  readonly of: ReturnType<typeof useRemarks>
  readonly onGo: (remark: Remark) => void
}

/** Faults and warnings of a draft; each leads to where it stands. */
export function Remarks({ of: { query, remarks }, onGo }: RemarksProps) {
  const t = useWords()
  return (
    <section className={styles['remarks']} aria-label={t('draft.remarks')}>
      {query.isPending && <Skeleton lines={3} />}
      {query.isError && <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && (
        <>
          <p role="status">
            {query.data.faults.length > 0
              ? t('draft.faults', { count: query.data.faults.length + query.data.moreFaults })
              : t('draft.noFaults', { count: query.data.warnings.length })}
          </p>
          <ul>
            {remarks.map((remark) => (
              <li key={remark.key}>
                <button type="button" data-plain data-fault={remark.isFault || undefined} onClick={() => onGo(remark)}>
                  <span className="muted small">
                    {t('draft.line', { line: remark.line })} <code>{remark.path}</code>
                  </span>
                  <span>{remark.text}</span>
                </button>
              </li>
            ))}
          </ul>
          {query.data.moreFaults > 0 && (
            <p className="muted">{t('draft.moreFaults', { count: query.data.moreFaults })}</p>
          )}
        </>
      )}
    </section>
  )
}
