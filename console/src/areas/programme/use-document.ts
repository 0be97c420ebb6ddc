import { useQuery } from '@connectrpc/connect-query'
import { ProgrammeService, type ProgrammeVersion } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'

/** A larger document is not edited in a browser. */
export const editedBytesMax = 4_000_000n

/** The text of a version, indented where it is one line; null: it loads, or is too large to be edited here. */
export function useDocument(programme: ProgrammeVersion | undefined): string | null {
  const { data } = useQuery(
    ProgrammeService.method.getProgramme,
    { version: programme?.version ?? 0 },
    {
      enabled: programme !== undefined && programme.documentBytes <= editedBytesMax,
      staleTime: Number.POSITIVE_INFINITY,
    },
  )
  return data === undefined ? null : indented(data.document)
}

function indented(document: string): string {
  return document.trim().includes('\n') ? document : `${JSON.stringify(JSON.parse(document), null, 2)}\n`
}
