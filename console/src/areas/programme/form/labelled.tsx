import { Fragment, type ReactNode } from 'react'
import styles from './form.module.css'
import { useForm } from './form-context.js'
import { type Path, pathText } from './json-text.js'

/** The id of the element that edits what stands at a path. */
export function fieldId(path: Path): string {
  return `field:${pathText(path)}`
}

/** What an input gets so that its label, its help and its faults are read with it. */
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

/** One input with its name, what it means and what the service says of it. */
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

/** What a field means: its first sentence, the rest on hover; words of the document stand out. */
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

/** Faults and warnings at a path and below it. */
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
