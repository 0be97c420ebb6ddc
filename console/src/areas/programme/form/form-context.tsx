import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { useWords } from '../../../i18n/words.js'
import type { Remark } from '../use-remarks.js'
import type { Node, Path } from './json-text.js'
import type { Schema } from './schema.js'
import type { Amount, Unit } from './unit-of.js'
import type { NamedId, Selectable } from './use-ids.js'

/** What every field of a form works on. */
export interface FormOf {
  readonly schema: Schema
  /** The document. */
  readonly text: string
  /** Puts another text in its place. */
  readonly edit: (text: string) => void
  readonly remarks: readonly Remark[]
  /** Ids that the document and the service have for a field of this name. */
  readonly idsFor: (name: string) => readonly NamedId[]
  /** Products and groups of their price lists. */
  readonly selectable: readonly Selectable[]
  /** In what an amount is typed; null: it is no amount. */
  readonly unitOf: (amount: Amount) => Unit | null
  /** The time zone that a new moment is in; undefined: that of the computer. */
  readonly zone: string | undefined
}

const FormContext = createContext<FormOf | null>(null)
export const FormProvider = FormContext.Provider

export function useForm(): FormOf {
  return useContext(FormContext)!
}

/** One value: where it stands, and what stands there; undefined: nothing, or null. */
export interface At {
  readonly path: Path
  readonly node: Node | undefined
}

/** The schema of a programme, of the service that checks it too. */
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

/** Words for people: names of fields and of what may be chosen. */
export function useFieldWords() {
  const t = useWords()
  /** A field of a definition may have a word of its own, such as `volumePercentage.tiers`. */
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
