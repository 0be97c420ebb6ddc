import { useMemo } from 'react'
import { useWords } from '../../../i18n/words.js'
import styles from '../programme.module.css'
import { summaryOf } from './summary.js'
import { readDocument, useSaying } from './use-saying.js'

interface SummaryListProps {
  /** The text that is changed. */
  readonly base: string
  /** What it is changed to. */
  readonly changed: string
}

/** What one programme changes of another, in sentences. */
export function SummaryList({ base, changed }: SummaryListProps) {
  const t = useWords()
  const documents = useMemo(
    () => [changed, base].map(readDocument).filter((document) => document !== null),
    [base, changed],
  )
  const saying = useSaying(documents)
  const sentences = useMemo(() => {
    const [after, before] = [readDocument(changed), readDocument(base)]
    return after === null ? [] : summaryOf(saying, before, after)
  }, [saying, base, changed])
  if (sentences.length === 0) return <p>{t('changes.none')}</p>
  return (
    <ul className={styles['sentences']}>
      {sentences.map(({ key, kind, text }) => (
        <li key={key} data-kind={kind}>
          {text}
        </li>
      ))}
    </ul>
  )
}
