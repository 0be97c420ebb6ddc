import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useEffect, useRef, useState } from 'react'
import type { ShadowRunProgress, ShadowRunReport } from '../../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { nowMs } from '../../../api/clock.js'
import { useCommands } from '../../../api/use-commands.js'

const dayMs = 86_400_000

/** What a run is asked. */
export interface Question {
  readonly document: string
  /** The last so many times 24 hours. */
  readonly days: number
  /** Benefits that are priced as if they were in force already. */
  readonly inForce: readonly string[]
}

export type Run =
  | { readonly kind: 'running'; readonly progress: ShadowRunProgress | null }
  | { readonly kind: 'done'; readonly question: Question; readonly report: ShadowRunReport }
  | { readonly kind: 'failed'; readonly cause: unknown }

/** The last report of each subject: who looks at a calculation and comes back finds it. */
const reports = new Map<string, Extract<Run, { readonly kind: 'done' }>>()

/** A run that ends when its screen is left; what it found stays while the document does. */
export function useShadowRun(key: string, document: string) {
  const { programmes } = useCommands()
  const last = reports.get(key)
  const [run, setRun] = useState<Run | null>(last?.question.document === document ? last : null)
  const ending = useRef<AbortController | null>(null)
  const stop = () => {
    ending.current?.abort()
    setRun(null)
  }
  useEffect(() => () => ending.current?.abort(), [])

  async function start(question: Question) {
    const own = new AbortController()
    ending.current = own
    setRun({ kind: 'running', progress: null })
    const from = timestampFromDate(new Date(nowMs() - question.days * dayMs))
    const request = { draftDocument: question.document, from, asIfInForce: [...question.inForce] }
    try {
      for await (const { event } of programmes.shadowRun(request, { signal: own.signal })) {
        if (event.case === 'progress') setRun({ kind: 'running', progress: event.value })
        if (event.case !== 'report') continue
        const done = { kind: 'done', question, report: event.value } as const
        reports.set(key, done)
        setRun(done)
      }
    } catch (cause) {
      if (!own.signal.aborted) setRun({ kind: 'failed', cause })
    }
  }

  return { run, start, stop }
}
