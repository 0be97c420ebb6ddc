import { createQueryOptions, useTransport } from '@connectrpc/connect-query'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ProgrammeService, type ProgrammeVersion } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords } from '../../i18n/words.js'
import { changesLine } from './changes.js'
import { editedBytesMax } from './use-document.js'

/** Names of each kind of change in a line. */
const namesMax = 2

/**
 * What each version changed of the one before, in one line, by version. Asked for one after the other, newest first: each is a heavy
 * call, and none of them ever changes.
 */
export function useVersionLines(versions: readonly ProgrammeVersion[]): ReadonlyMap<number, string> {
  const t = useWords()
  const transport = useTransport()
  const queryClient = useQueryClient()
  const [lines, setLines] = useState<ReadonlyMap<number, string>>(new Map())
  useEffect(() => {
    let isCurrent = true
    const ask = async () => {
      for (const { version, documentBytes } of versions) {
        if (version === 1 || documentBytes > editedBytesMax) continue
        const input = { baseVersion: version - 1, changed: { case: 'version', value: version } } as const
        const options = createQueryOptions(ProgrammeService.method.diffProgrammes, input, { transport })
        const found = await queryClient
          .fetchQuery({ ...options, staleTime: Number.POSITIVE_INFINITY })
          .catch(() => null)
        if (!isCurrent) return
        const line = found === null ? '' : changesLine(t, found.changes, namesMax) || t('changes.none')
        setLines((known) => new Map(known).set(version, line))
      }
    }
    void ask()
    return () => {
      isCurrent = false
    }
  }, [versions, t, transport, queryClient])
  return lines
}
