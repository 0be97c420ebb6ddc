import { useQuery } from '@connectrpc/connect-query'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'

/** How often is asked whether somebody else has published, in milliseconds. */
const againMs = 15_000

/** The facts of the version in force. */
export function useNewest() {
  return useQuery(
    ProgrammeService.method.getProgramme,
    { version: 0, withoutDocument: true },
    { refetchInterval: againMs, staleTime: 0 },
  )
}
