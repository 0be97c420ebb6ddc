import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useEffect } from 'react'
import { nowMs } from '../../../api/clock.js'
import { type ShadowRunState, useShadowRun } from '../../../api/use-shadow-run.js'

const dayMs = 86_400_000

/** What a run is asked. */
export interface Question {
  readonly document: string
  /** The last so many times 24 hours. */
  readonly days: number
  /** Benefits that are priced as if they were in force already. */
  readonly inForce: readonly string[]
}

type Done = Extract<ShadowRunState<Question>, { readonly kind: 'done' }>

/** The last report of each subject: who looks at a calculation and comes back finds it. */
const reports = new Map<string, Done>()

/** A run with a draft or a version that ends when its screen is left; what it found stays while the document does. */
export function useRunOf(key: string, document: string) {
  const last = reports.get(key)
  const { run, start, stop } = useShadowRun(last?.asked.document === document ? last : null)
  useEffect(() => {
    // Of another subject, while this one has just been opened, it is not kept here.
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
