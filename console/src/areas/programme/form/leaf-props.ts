import type { At } from './form-context.js'
import type { Shape } from './schema.js'

/** What a field does with what is typed. */
export interface LeafProps extends At {
  readonly name: string
  readonly label: string
  readonly shape: Shape
  /** JSON that stands here from now on; null: nothing. */
  readonly onChange: (json: string | null) => void
  /** Whether other fields name this one, so that it is offered no names of others. */
  readonly isOwnName: boolean
}

/** What an input shows of a value: a text as it reads, anything else as it is written. */
export function shown(node: At['node']): string {
  return node === undefined || node.kind === 'object' || node.kind === 'list' ? '' : node.value
}
