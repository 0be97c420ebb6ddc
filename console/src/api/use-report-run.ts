import { useEffect, useRef, useState } from 'react'

export type ReportRunState<Progress, Report, Asked> =
  | { readonly kind: 'running'; readonly progress: Progress | null; readonly asked: Asked }
  | { readonly kind: 'done'; readonly report: Report; readonly asked: Asked }
  | { readonly kind: 'failed'; readonly cause: unknown; readonly asked: Asked }

/** An answer that streams its progress, and ends with a report. */
interface ReportMessage<Progress, Report> {
  readonly event:
    | { readonly case: 'progress'; readonly value: Progress }
    | { readonly case: 'report'; readonly value: Report }
    | { readonly case: undefined; readonly value?: undefined }
}

type Call<Progress, Report, Request> = (
  request: Request,
  options: { readonly signal: AbortSignal },
) => AsyncIterable<ReportMessage<Progress, Report>>

/** One run of a call at a time, which ends when the screen is left. @param last  shown before the first one */
export function useReportRun<Progress, Report, Request, Asked>(
  call: Call<Progress, Report, Request>,
  last: ReportRunState<Progress, Report, Asked> | null = null,
) {
  const [run, setRun] = useState<ReportRunState<Progress, Report, Asked> | null>(last)
  const ending = useRef<AbortController | null>(null)
  const stop = () => {
    ending.current?.abort()
    setRun(null)
  }
  useEffect(() => () => ending.current?.abort(), [])

  /** @param asked  returned with the report */
  async function start(request: Request, asked: Asked) {
    ending.current?.abort()
    const own = new AbortController()
    ending.current = own
    setRun({ kind: 'running', progress: null, asked })
    try {
      for await (const { event } of call(request, { signal: own.signal })) {
        if (event.case === 'progress') setRun({ kind: 'running', progress: event.value, asked })
        if (event.case === 'report') setRun({ kind: 'done', report: event.value, asked })
      }
    } catch (cause) {
      if (!own.signal.aborted) setRun({ kind: 'failed', cause, asked })
    }
  }

  return { run, start, stop }
}
