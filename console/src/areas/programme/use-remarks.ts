import { useQuery } from '@connectrpc/connect-query'
import { keepPreviousData } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import {
  ProgrammeService,
  type ValidateProgrammeResponse,
} from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords } from '../../i18n/words.js'
import { lineAt, locate } from './locate.js'
import { useLater } from './use-later.js'

/** A fault or a warning with the line on which it stands. */
export interface Remark {
  readonly key: string
  readonly isFault: boolean
  /** As the service writes it, such as `benefits[3].reward.percentage`. */
  readonly path: string
  readonly text: string
  /** In the text. */
  readonly position: number
  readonly line: number
}

/** What the service says of a document, asked for when nothing has been typed for a moment; faults first. */
export function useRemarks(document: string) {
  const looked = useLater(document)
  const query = useQuery(
    ProgrammeService.method.validateProgramme,
    { document: looked },
    { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, placeholderData: keepPreviousData },
  )
  return { query, remarks: useLocated(query.data, useDeferredValue(looked)) }
}

function useLocated(answer: ValidateProgrammeResponse | undefined, text: string): readonly Remark[] {
  const t = useWords()
  return useMemo(() => {
    const remark = (isFault: boolean, path: string, said: string, at: number): Remark => {
      const position = positionOf(text, path, said)
      return { key: `${at}/${path}`, isFault, path, text: said, position, line: lineAt(text, position) }
    }
    const faults = (answer?.faults ?? []).map(({ path, expected, received }, at) =>
      remark(true, path, t('draft.expected', { expected, received }), at),
    )
    const warnings = (answer?.warnings ?? []).map(({ path, word, message }, at) =>
      remark(false, path, `${t.of('warning', word)} ${message}`, at),
    )
    return [...faults, ...warnings]
  }, [answer, text, t])
}

/** Where a fault stands: of a text that is no JSON the service says line and column, everything else by its path. */
function positionOf(text: string, path: string, said: string): number {
  const place = /\(line (\d+), column (\d+)\)/.exec(said)
  if (place === null) return path === 'document' ? 0 : locate(text, path)
  const before = text.split('\n', Number(place[1]) - 1)
  return before.reduce((sum, line) => sum + line.length + 1, 0) + Number(place[2]) - 1
}
