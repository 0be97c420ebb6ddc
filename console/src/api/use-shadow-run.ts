import type { MessageInitShape } from '@bufbuild/protobuf'
import { useEffect, useRef, useState } from 'react'
import type {
  ShadowRunProgress,
  ShadowRunReport,
  ShadowRunRequestSchema,
} from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useCommands } from './use-commands.js'

export type ShadowRunState<Asked> =
  | { readonly kind: 'running'; readonly progress: ShadowRunProgress | null; readonly asked: Asked }
  | { readonly kind: 'done'; readonly report: ShadowRunReport; readonly asked: Asked }
  | { readonly kind: 'failed'; readonly cause: unknown; readonly asked: Asked }

type Request = Omit<MessageInitShape<typeof ShadowRunRequestSchema>, '$typeName'>

/** One shadow run at a time, which ends when the screen is left. @param last  shown before the first one */
export function useShadowRun<Asked>(last: ShadowRunState<Asked> | null = null) {
  const { programmes } = useCommands()
  const [run, setRun] = useState<ShadowRunState<Asked> | null>(last)
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
      for await (const { event } of programmes.shadowRun(request, { signal: own.signal })) {
        if (event.case === 'progress') setRun({ kind: 'running', progress: event.value, asked })
        if (event.case === 'report') setRun({ kind: 'done', report: event.value, asked })
      }
    } catch (cause) {
      if (!own.signal.aborted) setRun({ kind: 'failed', cause, asked })
    }
  }

  return { run, start, stop }
}
