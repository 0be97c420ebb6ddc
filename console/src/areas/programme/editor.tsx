import { useQuery } from '@connectrpc/connect-query'
import { keepPreviousData } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import {
  ProgrammeService,
  type ValidateProgrammeResponse,
} from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Skeleton } from '../../parts/states.js'
import { type ProgrammeDraft, storeDraft, useProgrammeDraft } from './draft-store.js'
import styles from './editor.module.css'
import { Gutter, lineHeight } from './gutter.js'
import { lineAt, locate } from './locate.js'

/** What is typed is looked at so long after the last key, in milliseconds. */
const pauseMs = 400

/** A fault or a warning with the line on which it stands. */
interface Remark {
  readonly key: string
  readonly isFault: boolean
  readonly path: string
  readonly text: string
  /** In the text. */
  readonly position: number
  readonly line: number
}

/** The text of the draft, with the service's own faults and warnings beside it as one types. */
export function EditorScreen() {
  const draft = useProgrammeDraft()
  return draft === null ? null : <Editor draft={draft} />
}

function Editor({ draft }: { readonly draft: ProgrammeDraft }) {
  const t = useWords()
  const area = useRef<HTMLTextAreaElement>(null)
  const [scrolled, setScrolled] = useState(0)
  const { document, baseVersion } = draft
  const looked = useLater(document)
  const query = useQuery(
    ProgrammeService.method.validateProgramme,
    { document: looked },
    { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, placeholderData: keepPreviousData },
  )
  const remarks = useRemarks(query.data, useDeferredValue(looked))

  const goTo = ({ position, line }: Remark) => {
    const editor = area.current!
    editor.focus()
    editor.setSelectionRange(position, position)
    editor.scrollTop = Math.max(0, (line - 4) * lineHeight)
  }
  return (
    <div className={styles['split']}>
      <div className={styles['editor']}>
        <Gutter scrolled={scrolled} lines={lineAt(document, document.length)} remarks={remarks} />
        <textarea
          ref={area}
          value={document}
          aria-label={t('draft.document')}
          spellCheck={false}
          wrap="off"
          onChange={(event) => storeDraft({ document: event.target.value, baseVersion })}
          onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
        />
      </div>
      <section className={styles['remarks']} aria-label={t('draft.remarks')}>
        {query.isPending && <Skeleton lines={3} />}
        {query.isError && <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && <Remarks answer={query.data} remarks={remarks} onGo={goTo} />}
      </section>
    </div>
  )
}

interface RemarksProps {
  readonly answer: ValidateProgrammeResponse
  readonly remarks: readonly Remark[]
  readonly onGo: (remark: Remark) => void
}

function Remarks({ answer, remarks, onGo }: RemarksProps) {
  const t = useWords()
  const faults = answer.faults.length + answer.moreFaults
  return (
    <>
      <p role="status">
        {faults > 0 ? t('draft.faults', { count: faults }) : t('draft.noFaults', { count: answer.warnings.length })}
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
      {answer.moreFaults > 0 && <p className="muted">{t('draft.moreFaults', { count: answer.moreFaults })}</p>}
    </>
  )
}

function useRemarks(answer: ValidateProgrammeResponse | undefined, text: string): readonly Remark[] {
  const t = useWords()
  return useMemo(() => {
    const remark = (isFault: boolean, path: string, said: string, at: number): Remark => {
      const position = positionOf(text, path, said)
      return { key: `${at}/${path}`, isFault, path, text: said, position, line: lineAt(text, position) }
    }
    const faults = (answer?.faults ?? []).map(({ path, expected, received }, at) =>
      remark(true, path, t('draft.expected', { expected, received }), at),
    )
    const warnings = (answer?.warnings ?? []).map(({ path, message }, at) => remark(false, path, message, at))
    return [...faults, ...warnings]
  }, [answer, text, t])
}

/** Where a fault stands: of a text that is no JSON the service says line and column, everything else by its path. */
function positionOf(text: string, path: string, said: string): number {
  const place = /\(line (\d+), column (\d+)\)/.exec(said)
  if (place === null) return path === 'document' ? 0 : locate(text, path)
  const before = text.split('\n', Number(place[1]) - 1)
  return before.reduce((sum, line) => sum + line.length + 1, 0) + Number(place[2]) - 1
}

/** A text as it was when nothing had been typed for a moment. */
function useLater(text: string): string {
  const [later, setLater] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return later
}
