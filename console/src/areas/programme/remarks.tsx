import { createQueryOptions, useTransport } from '@connectrpc/connect-query'
import { hashKey, keepPreviousData, useQuery } from '@tanstack/react-query'
import { memo, useDeferredValue, useMemo } from 'react'
import {
  ProgrammeService,
  type ValidateProgrammeResponse,
} from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords } from '../../i18n/words.js'
import { Waiting } from '../../parts/states.js'
import { useSettled } from '../../parts/use-draft.js'
import { find, type Node, readJson, readPath, withoutComments } from './builder/json-text.js'
import { pathWords, warningText } from './changes.js'
import { readDocument } from './describe/use-saying.js'
import styles from './programme.module.css'

interface RemarksProps {
  readonly of: ReturnType<typeof useRemarks>
  readonly onGo: (remark: Remark) => void
}

export function Remarks({ of: { query, remarks }, onGo }: RemarksProps) {
  const t = useWords()
  return (
    <section className={styles['remarks']} aria-label={t('draft.remarks')}>
      <Waiting query={query} lines={3} />
      {query.isSuccess && (
        <>
          <p role="status">
            {query.data.faults.length > 0
              ? t('draft.faults', { count: query.data.faults.length + query.data.moreFaults })
              : t('draft.noFaults', { count: query.data.warnings.length })}
          </p>
          <RemarkList remarks={remarks} onGo={onGo} />
          {query.data.moreFaults > 0 && (
            <p className="muted">{t('draft.moreFaults', { count: query.data.moreFaults })}</p>
          )}
        </>
      )}
    </section>
  )
}

interface RemarkListProps {
  readonly remarks: readonly Remark[]
  readonly onGo: (remark: Remark) => void
}

/** Kept while its remarks are: a draft of 1,000 benefits may have as many. */
const RemarkList = memo(function RemarkList({ remarks, onGo }: RemarkListProps) {
  const t = useWords()
  return (
    <ul>
      {remarks.map((remark) => (
        <li key={remark.key}>
          <button type="button" data-plain data-fault={remark.isFault || undefined} onClick={() => onGo(remark)}>
            <span className="muted small">
              {t('draft.line', { line: remark.line })} {remark.place}
            </span>
            <span>{remark.text}</span>
          </button>
        </li>
      ))}
    </ul>
  )
})

export interface Remark {
  readonly key: string
  readonly isFault: boolean
  /** In the service's form, such as `benefits[3].reward.percentage`. */
  readonly path: string
  /** The name of its entry and of the field. */
  readonly place: string
  readonly text: string
  readonly position: number
  readonly line: number
}

/** The service's remarks on the text of a draft, read after a moment without typing; faults first. */
export function useRemarks(text: string) {
  const looked = useSettled(text)
  const transport = useTransport()
  // A key with 300 kB takes 20 ms: not once for each key press.
  const options = useMemo(() => {
    const asked = createQueryOptions(
      ProgrammeService.method.validateProgramme,
      { document: withoutComments(looked) },
      { transport },
    )
    return { ...asked, queryHash: hashKey(asked.queryKey) }
  }, [looked, transport])
  const query = useQuery({
    ...options,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: keepPreviousData,
  })
  return { query, remarks: useLocated(query.data, useDeferredValue(looked)) }
}

function useLocated(answer: ValidateProgrammeResponse | undefined, text: string): readonly Remark[] {
  const t = useWords()
  return useMemo(() => {
    const top = readJson(text)
    const document = readDocument(withoutComments(text))
    const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
    const remark = (isFault: boolean, path: string, said: string, at: number): Remark => {
      const position = placeIn(text, said) ?? locate(top, path)
      const place = pathWords(t, path, document)
      return { key: `${at}/${path}`, isFault, path, place, text: said, position, line: lineAt(ends, position) }
    }
    const faults = (answer?.faults ?? []).map(({ path, expected, received }, at) =>
      remark(true, path, received === 'nothing' ? t('draft.missing') : t('draft.expected', { expected, received }), at),
    )
    const warnings = (answer?.warnings ?? []).map(({ path, word, message }, at) =>
      remark(false, path, warningText(t, word, message), at),
    )
    return [...faults, ...warnings]
  }, [answer, text, t])
}

/** For a text that is no JSON the service names line and column. */
function placeIn(text: string, said: string): number | null {
  const place = /\(line (\d+), column (\d+)\)/.exec(said)
  if (place === null) return null
  const before = text.split('\n', Number(place[1]) - 1)
  return before.reduce((sum, line) => sum + line.length + 1, 0) + Number(place[2]) - 1
}

/** The position of a path, as far as it exists; for a text that is no JSON its beginning, until the service names the place. */
function locate(top: Node | null, path: string): number {
  const steps = readPath(path)
  for (let length = steps.length; top !== null && length > 0; length -= 1) {
    const node = find(top, steps.slice(0, length))
    if (node !== undefined) return node.start
  }
  return 0
}

/**
 * The line on which a position stands, from 1.
 *
 * @param ends  the ends of all lines, ascending
 */
function lineAt(ends: readonly number[], position: number): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ends[middle]! < position) low = middle + 1
    else high = middle
  }
  return low + 1
}
