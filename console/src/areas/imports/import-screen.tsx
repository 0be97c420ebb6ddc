import { type ReactNode, useState } from 'react'
import { useAccess, useChanged } from '../../api/use-commands.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Button, Select } from '../../parts/controls.js'
import { download } from '../../parts/download.js'
import { Page, Part } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { bytesText, countText } from '../../parts/scaled.js'
import { ErrorPanel, NoPermission, Skeleton } from '../../parts/states.js'
import { csvOf } from '../reports/saved-rows.js'
import styles from './imports.module.css'
import { type FileRow, fileBytesMax, type ReadFile, readFile } from './read-file.js'
import { nothing, type Refused, type Run, type RunJob, type RunState } from './run.js'

export interface ImportColumn {
  readonly name: string
  readonly label: string
  readonly isRequired?: boolean
}

/** The text of a column in a row; empty without the column. */
export type CellOf = (column: string) => string

interface ImportScreenProps<Row> {
  readonly title: string
  readonly what: ReactNode
  /** The call that stores the rows. */
  readonly call: string
  readonly roles: readonly string[]
  readonly columns: readonly ImportColumn[]
  /** A file without a head, whose first column is this one. */
  readonly headless?: string
  readonly run: Run
  /** Choices in addition to the file. */
  readonly choices: ReactNode
  /** Part of the key of a run; null: a choice is missing. */
  readonly choicesKey: string | null
  readonly read: (cell: CellOf) => { readonly row: Row } | { readonly why: string }
  /** @param columns  that the file has */
  readonly send: (columns: readonly string[]) => RunJob<Row>['send']
  readonly countsText: (counts: RunState['counts'], isCheck: boolean) => string
  /** The example offered for download: its head has the names of the columns. */
  readonly example: readonly (readonly string[])[]
}

export function ImportScreen<Row>(props: ImportScreenProps<Row>) {
  const { title, what, call, roles, columns, run, choices, choicesKey, read, send, countsText, example } = props
  const t = useWords()
  const access = useAccess()(call)
  const latest = run.useState()
  const { file, given, setGiven, fault, choose } = useFile(props)
  if (access === undefined) return <Skeleton />
  if (!access)
    return (
      <Page title={title}>
        <NoPermission roles={roles.join()} />
      </Page>
    )
  const isBusy = latest.phase === 'checking' || latest.phase === 'running'
  const missing = columns.filter(({ name, isRequired }) => isRequired && !given.includes(name))
  const twice = columns.filter(({ name }) => given.filter((each) => each === name).length > 1)
  const job = file === null || choicesKey === null ? null : jobOf({ file, given, choicesKey, read, send })
  // A check or a stop under other choices is no reason to go on under these.
  const state = job === null || job.key === latest.key || isBusy ? latest : nothing
  const isReady = missing.length === 0 && twice.length === 0
  const began = job === null ? 0 : run.placeOf(job.key)
  const save = () => download('example.csv', csvOf(t, example), 'text/csv')
  return (
    <Page title={title} buttons={<Button onClick={save} text={t('imports.example')} />}>
      <div className={styles['lead']}>{what}</div>
      <fieldset disabled={isBusy} className={styles['form']}>
        <label className={styles['file']}>
          {t('imports.file')}
          <input type="file" accept=".csv,.txt,text/csv" onChange={({ target }) => void choose(target.files?.[0])} />
        </label>
        {fault !== '' && <p className="lost">{fault}</p>}
        {choices}
      </fieldset>
      {file !== null && (
        <>
          <Columns file={file} columns={columns} given={given} isFixed={isBusy} onGiven={setGiven} />
          {missing.map(({ name, label }) => (
            <p key={name} className="lost">
              {t('imports.missing', { label })}
            </p>
          ))}
          {twice.map(({ name, label }) => (
            <p key={name} className="lost">
              {t('imports.twice', { label })}
            </p>
          ))}
        </>
      )}
      {began > 0 && !isBusy && (
        <p className="banner" role="status">
          <span>{t('imports.goesOn', { count: began })}</span>
          <Button onClick={() => run.restart()} text={t('imports.anew')} />
        </p>
      )}
      <Progress state={state} text={countsText} />
      {state.fault !== null && <ErrorPanel cause={state.fault} />}
      <Buttons run={run} state={state} job={isReady ? job : null} began={began} />
      {state.refused.length > 0 && <RefusedRows refused={state.refused} file={file} />}
    </Page>
  )
}

/** The chosen file, and the meaning of its columns. */
function useFile<Row>({ columns, headless, run }: ImportScreenProps<Row>) {
  const t = useWords()
  const [file, setFile] = useState<ReadFile | null>(null)
  const [fault, setFault] = useState('')
  const [given, setGiven] = useState<readonly string[]>([])
  const guessed = (cell: string) => columns.find((column) => isNamed(column, cell))?.name
  async function choose(chosen: File | undefined) {
    run.reset()
    setFile(null)
    setFault('')
    if (chosen === undefined) return
    if (chosen.size > fileBytesMax) return setFault(t('imports.tooLarge', { size: bytesText(t, BigInt(fileBytesMax)) }))
    try {
      const isHead = (cells: readonly string[]) => headless === undefined || cells.some((cell) => guessed(cell))
      const found = await readFile(chosen, isHead)
      setGiven(found.head.map((cell, at) => guessed(cell) ?? (at === 0 ? (headless ?? '') : '')))
      setFile(found)
    } catch (cause) {
      setFault(t('imports.noFile', { why: cause instanceof Error ? cause.message : '' }))
    }
  }
  return { file, given, fault, choose, setGiven }
}

interface ButtonsProps<Row> {
  readonly run: Run
  readonly state: RunState
  /** null: something is missing. */
  readonly job: RunJob<Row> | null
  readonly began: number
}

function Buttons<Row>({ run, state: { phase, refused, done }, job, began }: ButtonsProps<Row>) {
  const t = useWords()
  const { changed } = useChanged()
  const begin = async (isCheck: boolean) => {
    await run.run(job!, isCheck)
    if (!isCheck) await changed()
  }
  if (phase === 'checking' || phase === 'running') {
    return (
      <div className="row">
        <Button onClick={() => run.stop()} text={t('shadow.stop')} />
      </div>
    )
  }
  if (phase === 'done') return null
  const isEmpty = job === null || job.items.length === 0
  const hasNone = phase === 'checked' && refused.length === done - began
  return (
    <div className="row">
      <Button
        data-main={phase === 'none' || undefined}
        disabled={isEmpty}
        onClick={() => void begin(true)}
        text={t('imports.check')}
      />
      {(phase === 'checked' || phase === 'stopped') && (
        <Button
          data-main
          disabled={isEmpty || hasNone}
          onClick={() => void begin(false)}
          text={t(phase === 'stopped' ? 'imports.resume' : 'imports.do')}
        />
      )}
    </div>
  )
}

interface JobParts<Row> extends Pick<ImportScreenProps<Row>, 'read' | 'send'> {
  readonly file: ReadFile
  readonly given: readonly string[]
  readonly choicesKey: string
}

function jobOf<Row>({ file, given, choicesKey, read, send }: JobParts<Row>): RunJob<Row> {
  return {
    key: [file.key, given.join(), choicesKey].join('\n'),
    items: file.rows,
    read: ({ cells }) => {
      // Trailing separators are usual; text without a head is a mistake.
      if (cells.slice(given.length).some((cell) => cell !== '')) return { why: `expected ${given.length} fields` }
      return read((column) => cells[given.indexOf(column)] ?? '')
    },
    send: send(given.filter((name) => name !== '')),
  }
}

/** A head counts as a column's with its name, or with its label on this screen. */
function isNamed({ name, label }: ImportColumn, cell: string): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return [name, label].some((each) => plain(each) === plain(cell))
}

interface ColumnsProps {
  readonly file: ReadFile
  readonly columns: readonly ImportColumn[]
  readonly given: readonly string[]
  readonly isFixed: boolean
  readonly onGiven: (given: readonly string[]) => void
}

function Columns({ file, columns, given, isFixed, onGiven }: ColumnsProps) {
  const t = useWords()
  const options = [['', t('imports.unused')] as const, ...columns.map(({ name, label }) => [name, label] as const)]
  return (
    <Part level={2} title={t('imports.columns', { file: file.name, count: file.rows.length })}>
      <Rows
        label={t('imports.columnsLabel')}
        rows={file.head.map((head, at) => ({ head, at }))}
        keyOf={({ at }) => String(at)}
        columns={[
          { key: 'head', head: t('imports.column'), cell: ({ head }) => head },
          { key: 'first', head: t('imports.first'), cell: ({ at }) => file.rows[0]?.cells[at] ?? '' },
          {
            key: 'is',
            head: t('imports.is'),
            cell: ({ head, at }) => (
              <Select
                aria-label={t('imports.isOf', { head })}
                disabled={isFixed}
                value={given[at] ?? ''}
                options={options}
                onText={(name) => onGiven(given.with(at, name))}
              />
            ),
          },
        ]}
      />
    </Part>
  )
}

const saidOf = {
  checking: 'imports.checking',
  checked: 'imports.checked',
  running: 'imports.running',
  stopped: 'imports.stopped',
  done: 'imports.done',
} as const

interface ProgressProps {
  readonly state: RunState
  readonly text: (counts: RunState['counts'], isCheck: boolean) => string
}

function Progress({ state: { phase, done, total, counts, refused }, text }: ProgressProps) {
  const t = useWords()
  if (phase === 'none') return null
  const values = { done: countText(t, done), total: countText(t, total) }
  const isCheck = phase === 'checking' || phase === 'checked'
  return (
    <div className={styles['progress']}>
      {phase !== 'checked' && phase !== 'done' && (
        <progress value={done} max={Math.max(total, 1)} aria-label={t('imports.progress', values)} />
      )}
      <div role="status">
        <p className={phase === 'checked' || phase === 'done' ? 'lead' : ''}>{t(saidOf[phase], values)}</p>
        <p>
          {text(counts, isCheck)} {refused.length > 0 && t('imports.refused', { count: refused.length })}
        </p>
      </div>
    </div>
  )
}

const shownMax = 20

function RefusedRows({ refused, file }: { readonly refused: readonly Refused[]; readonly file: ReadFile | null }) {
  const t = useWords()
  const save = () => download(`refused-${file?.name ?? 'rows.csv'}`, csvOf(t, mendedRows(t, refused, file)), 'text/csv')
  return (
    <Part level={2} title={t('imports.refusedTitle')}>
      <Rows
        label={t('imports.refusedTitle')}
        rows={refused.slice(0, shownMax)}
        keyOf={({ item }) => String(item.line)}
        columns={[
          { key: 'line', head: t('imports.line'), cell: ({ item }) => item.line, isNumber: true },
          { key: 'row', head: t('priceList.row'), cell: ({ item }) => shownRow(item) },
          { key: 'why', head: t('imports.why'), cell: ({ why }) => why },
        ]}
      />
      {refused.length > shownMax && <p className="muted">{t('imports.more', { count: refused.length - shownMax })}</p>}
      <p>
        <Button onClick={save} text={t('imports.saveRefused')} />
      </p>
    </Part>
  )
}

const shownCells = 3

function shownRow({ cells }: FileRow): string {
  return cells.slice(0, shownCells).join(', ')
}

/** The refused rows as the file has them, and why behind each: a column that the next import leaves out. */
function mendedRows(t: Words, refused: readonly Refused[], file: ReadFile | null): readonly (readonly string[])[] {
  const head = file?.head ?? []
  const filled = (cells: readonly string[]) => head.map((_, at) => cells[at] ?? '')
  return [[...head, t('imports.why')], ...refused.map(({ item, why }) => [...filled(item.cells), why])]
}
