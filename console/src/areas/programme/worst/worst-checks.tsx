import { type ReactNode, useEffect, useState } from 'react'
import type { WorstProgress, WorstReport } from '../../../../../gateway/gen/loyalty/v1/worst_baskets_pb.js'
import { useCommands, useWorstRequired } from '../../../api/use-commands.js'
import { useReportRun } from '../../../api/use-report-run.js'
import { useWords } from '../../../i18n/words.js'
import { Check } from '../../../parts/controls.js'
import { ErrorPanel } from '../../../parts/states.js'
import { WorstProgressBar, WorstReceipts, WorstSentence } from './worst-screen.js'

interface WorstChecks {
  /** Nothing is asked for, or every finding is ticked. */
  readonly isReady: boolean
  readonly acknowledgements: readonly string[]
  readonly checks: ReactNode
}

/** Searches a document that is about to be published, where the service asks for it; each finding has a check box. @param document  null: none yet */
export function useWorstChecks(document: string | null): WorstChecks {
  const t = useWords()
  const { programmes } = useCommands()
  const isRequired = useWorstRequired()
  const [ticked, setTicked] = useState<readonly string[]>([])
  const { run, start, stop } = useReportRun<WorstProgress, WorstReport, string, string>((value, options) =>
    programmes.findWorstBaskets({ programme: { case: 'draftDocument', value } }, options),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another document is searched anew
  useEffect(() => {
    if (isRequired !== true || document === null) return
    setTicked([])
    void start(document, document)
    return stop
  }, [isRequired, document])
  if (isRequired !== true || document === null) {
    return { isReady: isRequired === false, acknowledgements: [], checks: null }
  }
  if (run?.kind === 'failed') {
    const again = () => void start(document, document)
    return { isReady: false, acknowledgements: [], checks: <ErrorPanel cause={run.cause} onRetry={again} /> }
  }
  if (run?.kind !== 'done' || run.asked !== document) {
    const progress = run?.kind === 'running' ? run.progress : null
    return { isReady: false, acknowledgements: [], checks: <WorstProgressBar progress={progress} /> }
  }
  const named = run.report.baskets.filter(({ name }) => name !== '')
  const tick = (name: string, isTicked: boolean) =>
    setTicked(isTicked ? [...ticked, name] : ticked.filter((other) => other !== name))
  const checks = (
    <fieldset className="flow">
      <legend>{t('worst.acknowledge', { count: named.length })}</legend>
      {named.map((basket) => (
        <div key={basket.name}>
          <Check
            text={
              <span>
                <WorstSentence basket={basket} document={document} />
              </span>
            }
            checked={ticked.includes(basket.name)}
            onCheck={(isTicked) => tick(basket.name, isTicked)}
          />
          <WorstReceipts basket={basket} document={document} />
        </div>
      ))}
    </fieldset>
  )
  return { isReady: named.every(({ name }) => ticked.includes(name)), acknowledgements: ticked, checks }
}
