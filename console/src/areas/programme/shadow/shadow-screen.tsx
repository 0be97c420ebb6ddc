import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useEffect, useMemo } from 'react'
import type { ShadowRunProgress } from '../../../../../gateway/gen/loyalty/v1/shadow_run_pb.js'
import { nowMs } from '../../../api/clock.js'
import { type ShadowRunState, useShadowRun } from '../../../api/use-shadow-run.js'
import { useWords } from '../../../i18n/words.js'
import { Button, Check, Field } from '../../../parts/controls.js'
import { ErrorPanel } from '../../../parts/states.js'
import { useDraft } from '../../../parts/use-draft.js'
import { isSame } from '../describe/is-same.js'
import { listIn, type ProgrammePart, partsOf, textIn } from '../describe/saying.js'
import { readDocument, useSaying } from '../describe/use-saying.js'
import { draftSubject, type Subject, useProgrammeDraft } from '../draft-store.js'
import styles from '../programme.module.css'
import { useVersionDocument } from '../use-document.js'
import { type Question, ShadowReport } from './report.js'

const dayMs = 86_400_000
const daysMax = 90

function ShadowScreen({ subject }: { readonly subject: Subject }) {
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
        <div className="row">
          <Field label={t('shadow.days', { max: daysMax })} inputMode="numeric" value={days} onText={setDays} />
          <Button type="submit" data-main disabled={!isReady || run?.kind === 'running'} text={t('shadow.do')} />
          {run?.kind === 'running' && <Button onClick={stop} text={t('shadow.stop')} />}
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
          <Check
            key={benefitId}
            text={
              <span>
                {textIn(benefit, 'text') || benefitId} <span className="muted">({why})</span>
              </span>
            }
            checked={isChosen(candidate)}
            onCheck={(isOn) => onChoose(benefitId, isOn)}
          />
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

export function DraftShadow() {
  const draft = useProgrammeDraft()
  return draft === null ? null : <ShadowScreen subject={draftSubject(draft)} />
}

export interface Candidate {
  readonly benefitId: string
  readonly benefit: ProgrammePart
  readonly isOff: boolean
  readonly isNew: boolean
}

/**
 * The benefits of a draft that are off or begin only within or after some days, and have not ended before them.
 *
 * @param base    the base of the draft; null: not known yet
 * @param fromMs  the beginning of the days, milliseconds since the epoch
 */
function candidatesIn(draft: ProgrammePart, base: ProgrammePart | null, fromMs: number): readonly Candidate[] {
  const before = partsOf(base ?? {}, 'benefits', 'benefitId')
  return listIn(draft, 'benefits').flatMap((benefit) => {
    const isOff = benefit['enabled'] === false
    const [from, until] = [textIn(benefit, 'validFrom'), textIn(benefit, 'validUntil')]
    const isLater = from !== '' && Date.parse(from) > fromMs
    if ((!isOff && !isLater) || (until !== '' && Date.parse(until) <= fromMs)) return []
    const benefitId = textIn(benefit, 'benefitId')
    const isNew = base !== null && !isSame(before.get(benefitId), benefit)
    return benefitId === '' ? [] : [{ benefitId, benefit, isOff, isNew }]
  })
}

type Done = Extract<ShadowRunState<Question>, { readonly kind: 'done' }>

/** The last report of each subject, for the way back from a calculation. */
const reports = new Map<string, Done>()

/** A run with a draft or a version that ends when its screen is left; its report stays while the document does. */
function useRunOf(key: string, document: string) {
  const last = reports.get(key)
  const { run, start, stop } = useShadowRun(last?.asked.document === document ? last : null)
  useEffect(() => {
    if (run?.kind === 'done' && run.asked.document === document) reports.set(key, run)
  }, [key, document, run])
  return {
    run,
    stop,
    async start(question: Question) {
      const from = timestampFromDate(new Date(nowMs() - question.days * dayMs))
      await start({ draftDocument: question.document, from, asIfInForce: [...question.inForce] }, question)
    },
  }
}
