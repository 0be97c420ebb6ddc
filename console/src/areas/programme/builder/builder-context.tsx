import { useQuery } from '@tanstack/react-query'
import { createContext, Fragment, type ReactNode, useContext } from 'react'
import { useWords } from '../../../i18n/words.js'
import type { Remark } from '../remarks.js'
import styles from './builder.module.css'
import { type Node, type Path, pathText } from './json-text.js'
import type { Schema } from './schema.js'
import type { Amount, Unit } from './unit-of.js'
import type { NamedId, Selectable } from './use-ids.js'

export interface FormOf {
  readonly schema: Schema
  readonly text: string
  /** The text as it was when typing last paused. */
  readonly settled: string
  readonly edit: (text: string) => void
  readonly remarks: readonly Remark[]
  readonly idsFor: (name: string) => readonly NamedId[]
  readonly selectable: readonly Selectable[]
  /** The unit in which an amount is typed; null: it is no amount. */
  readonly unitOf: (amount: Amount) => Unit | null
  /** The time zone of a new moment; undefined: the computer's. */
  readonly zone: string | undefined
}

const FormContext = createContext<FormOf | null>(null)
export const FormProvider = FormContext.Provider

export function useForm(): FormOf {
  return useContext(FormContext)!
}

/** One value: its place and its node; undefined: absent, or null. */
export interface At {
  readonly path: Path
  readonly node: Node | undefined
}

export function useSchema() {
  return useQuery({
    queryKey: ['programme-schema'],
    queryFn: async (): Promise<Schema> => {
      const response = await fetch('/programme.schema.json')
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
      return (await response.json()) as Schema
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useFieldWords() {
  const t = useWords()
  /** A field of a definition may have its own label, such as `volumePercentage.tiers`. */
  const label = (name: string, within: string) => {
    const own = t.of('field', `${within}.${name}`)
    return own === `${within}.${name}` ? t.of('field', name) : own
  }
  return {
    t,
    label,
    option: (value: string) => t.of('option', value),
  }
}

export function fieldId(path: Path): string {
  return `field:${pathText(path)}`
}

export interface InputIds {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
}

interface LabelledProps {
  readonly path: Path
  readonly label: string
  readonly help: string
  readonly children: (ids: InputIds) => ReactNode
}

export function Labelled({ path, label, help, children }: LabelledProps) {
  const id = fieldId(path)
  const own = useOwnRemarks(path)
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}/help`, 'aria-invalid': own.some(({ isFault }) => isFault) })}
      <div id={`${id}/help`}>
        <Said path={path} />
        <Help text={help === `${label}.` ? '' : help} />
      </div>
    </div>
  )
}

/** The description of a field: its first sentence, the rest on hover; words of the document are marked. */
export function Help({ text }: { readonly text: string }) {
  if (text === '') return null
  const [first = text] = text.match(/^.*?\.(?=\s|$)/) ?? []
  return (
    <p className="muted small" title={text}>
      {first.split('`').map((part, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed text
        at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>,
      )}
    </p>
  )
}

export function Said({ path }: { readonly path: Path }) {
  return <SaidAll remarks={useOwnRemarks(path)} />
}

export function SaidAll({ remarks }: { readonly remarks: ReturnType<typeof useOwnRemarks> }) {
  return remarks.map(({ key, isFault, text }) => (
    <p key={key} className={styles['said']} data-fault={isFault || undefined}>
      {text}
    </p>
  ))
}

function useOwnRemarks(path: Path) {
  const own = pathText(path)
  return useForm().remarks.filter(({ path: at }) => at === own || at.startsWith(`${own}.`) || at.startsWith(`${own}[`))
}
