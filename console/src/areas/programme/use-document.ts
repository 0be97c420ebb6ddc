import { useQuery } from '@connectrpc/connect-query'
import { ProgrammeService, type ProgrammeVersion } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'

/** A larger document is not edited in a browser. */
export const editedBytesMax = 4_000_000n

/** The text of a version, indented where it is one line; null: it loads, or is too large to be edited here. */
export function useDocument(programme: ProgrammeVersion | undefined): string | null {
  return useText(programme).document
}

function useText(programme: ProgrammeVersion | undefined) {
  const { data, error, refetch } = useQuery(
    ProgrammeService.method.getProgramme,
    { version: programme?.version ?? 0 },
    {
      enabled: programme !== undefined && programme.documentBytes <= editedBytesMax,
      staleTime: Number.POSITIVE_INFINITY,
    },
  )
  return { document: data === undefined ? null : indented(data.document), error, refetch }
}

/**
 * The text of a version by its number, as `useDocument`; of 0, before anything was published, that of a programme without anything.
 *
 * @param version  undefined: not known yet
 */
export function useVersionDocument(version: number | undefined) {
  const isPublished = version !== undefined && version > 0
  const facts = useQuery(
    ProgrammeService.method.getProgramme,
    { version: version ?? 0, withoutDocument: true },
    { enabled: isPublished, staleTime: Number.POSITIVE_INFINITY },
  )
  const text = useText(facts.data?.programme)
  return {
    document: version === 0 ? '{}' : text.document,
    isTooLarge: (facts.data?.programme?.documentBytes ?? 0n) > editedBytesMax,
    error: facts.error ?? text.error,
    retry: () => void (facts.error === null ? text : facts).refetch(),
  }
}

function indented(document: string): string {
  return document.trim().includes('\n') ? document : `${JSON.stringify(JSON.parse(document), null, 2)}\n`
}
