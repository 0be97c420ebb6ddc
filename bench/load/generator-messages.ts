import type { Service } from '../../clients/pos-js/call.js'
import type { Load } from './plan-load.js'
import type { LoadReport, Progress } from './run-load.js'

/** What this process says to the one that started it. */
export type GeneratorMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'done'; readonly report: LoadReport }
  | { readonly kind: 'failed'; readonly message: string }

/** What the generator's process is asked to do. */
export interface GeneratorTask {
  readonly load: Load
  readonly service: Service
}
