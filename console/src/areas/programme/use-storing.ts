import { create } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { createConnectQueryKey, useQuery, useTransport } from '@connectrpc/connect-query'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { GetDraftResponseSchema } from '../../../../gateway/gen/loyalty/v1/programme_draft_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { isPassing } from '../../api/query-client.js'
import { callError, newId, readError, useReturns } from '../../api/transport.js'
import { noteFault, noteStored, type ProgrammeDraft, unsentOf } from './draft-store.js'

/** The pause of typing after which the text is stored, and after which a service out of reach is tried again. */
const pauseMs = 1_500
const againMs = 5_000
const followMs = 10_000

/** Faults that only a person can end; any other one is tried again. */
const lasting: ReadonlySet<string> = new Set(['DRAFT_CHANGED', 'DRAFT_NOT_FOUND', 'PERMISSION_DENIED'])

const sending = new Map<string, Promise<void>>()

/** Stores the draft while it is edited, and when its screen is left; without own changes it follows those of others. */
export function useStoring(draft: ProgrammeDraft): () => Promise<void> {
  const { draftId, text, name, baseVersion, isStored, isChanged, fault } = draft
  const send = useSend(draftId)
  const returns = useReturns()
  useFollow(draft)
  const isWaiting = !isStored && isChanged && !lasting.has(fault?.reason ?? '')
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the text begins the pause anew, and the service's return ends it
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => void send(), fault === null ? pauseMs : againMs)
    return () => clearTimeout(timer)
  }, [isWaiting, send, text, name, baseVersion, fault, returns])
  useEffect(
    () => () => {
      if (unsentOf(draftId) !== null) void send()
    },
    [draftId, send],
  )
  return send
}

function useSend(draftId: string): () => Promise<void> {
  const transport = useTransport()
  const queryClient = useQueryClient()
  const programmes = useMemo(() => createClient(ProgrammeService, transport), [transport])
  return useCallback(async () => {
    const once = async () => {
      const sent = unsentOf(draftId)
      if (sent === null) return
      const { name, text: document, baseVersion, revision: expectedRevision } = sent
      const request = { requestId: newId(), draftId, name, document, baseVersion, expectedRevision }
      try {
        const { draft } = await programmes.storeDraft(request)
        const input = { draftId }
        const schema = ProgrammeService.method.getDraft
        const queryKey = createConnectQueryKey({ schema, input, transport, cardinality: 'finite' })
        queryClient.setQueryData(queryKey, create(GetDraftResponseSchema, { draft: draft!, document }))
        noteStored(draftId, sent, draft!)
        void queryClient.invalidateQueries({
          queryKey: createConnectQueryKey({ schema: ProgrammeService.method.listDrafts, cardinality: 'finite' }),
        })
      } catch (cause) {
        const error = callError(cause)
        noteFault(draftId, { ...readError(error), reason: isPassing(error) ? 'UNAVAILABLE' : readError(error).reason })
      }
    }
    const running = (sending.get(draftId) ?? Promise.resolve()).then(once)
    sending.set(draftId, running)
    await running
  }, [draftId, programmes, queryClient, transport])
}

function useFollow({ draftId, isStored, revision }: ProgrammeDraft): void {
  const { data: newest, dataUpdatedAt } = useQuery(
    ProgrammeService.method.getDraft,
    { draftId, withoutDocument: true },
    { enabled: isStored, refetchInterval: followMs, staleTime: 0, retry: false },
  )
  const { refetch } = useQuery(ProgrammeService.method.getDraft, { draftId }, { enabled: false })
  const isBehind = isStored && (newest?.draft?.revision ?? 0) > revision
  // biome-ignore lint/correctness/useExhaustiveDependencies: a read that failed is repeated after the next look
  useEffect(() => {
    if (isBehind) void refetch()
  }, [isBehind, refetch, dataUpdatedAt])
}
