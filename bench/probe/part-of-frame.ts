/** The rows of the table that one V8 profile is split into, in order of a basket's way. */
export const profiledParts = [
  'sockets',
  'signature',
  'use case',
  'hand-over',
  'read',
  'price',
  'write',
  'pack',
  'redis client',
  'postgres client',
  'log and metrics',
  'collection',
  'other',
] as const

export type ProfiledPart = (typeof profiledParts)[number]

export interface Frame {
  readonly functionName: string
  readonly url: string
}

/** The part by the file of a function; the first that fits. Frames of other files belong to the part that calls them. */
const partsByFile: readonly (readonly [file: RegExp, part: ProfiledPart])[] = [
  [/\/piscina\/|\/dist\/engine\/thread\/|^node:internal\/worker/, 'hand-over'],
  [/\/dist\/engine\/wire\/(un)?pack|^node:zlib/, 'pack'],
  [/\/dist\/engine\/wire\/(write|text-writer)/, 'write'],
  [/\/dist\/engine\/wire\//, 'read'],
  [/\/dist\/engine\/core\//, 'price'],
  [/\/node_modules\/(ioredis|@ioredis|redis-parser)\/|\/dist\/store\/redis\//, 'redis client'],
  [/\/node_modules\/postgres\/|\/dist\/store\/postgres\//, 'postgres client'],
  [/\/node_modules\/(prom-client|pino|sonic-boom|@opentelemetry)|\/dist\/gateway\/telemetry\//, 'log and metrics'],
  [/\/dist\/gateway\/pos\/authentication/, 'signature'],
  [/\/dist\/gateway\/(pos|internal|listeners)\/|^node:_?http/, 'sockets'],
  [/\/dist\/(gateway|store)\//, 'use case'],
]
/** Without a deciding caller: Node.js itself reads and writes its connections, those of both stores too. */
const socketsByDefault = /^node:(net|_stream|internal\/streams|internal\/stream_base|internal\/js_stream)/
/** Functions that wait: their own time is none of the processor's. */
const waits = new Set(['(idle)', 'atomicsWaitLoop'])
/** The probe's own work, which the counted runs do not have. */
const measuring = /\/dist\/bench\//

/**
 * The part that a stack's own time belongs to: the innermost frame whose file decides. null: the thread waited, or
 * measured.
 *
 * @param stack  innermost frame first
 */
export function partOfStack(stack: readonly Frame[], thread: 'main' | 'pricing'): ProfiledPart | null {
  const name = stack[0]?.functionName ?? ''
  if (waits.has(name) || stack.some(({ url }) => measuring.test(url))) return null
  if (name === '(garbage collector)') return 'collection'
  // Native code without JavaScript: on the main thread polling, reading and parsing of connections' data.
  if (name === '(program)') return thread === 'main' ? 'sockets' : 'other'
  for (const { url } of stack) {
    const part = partsByFile.find(([file]) => file.test(url))?.[1]
    if (part !== undefined) return part
  }
  return stack.some(({ url }) => socketsByDefault.test(url)) ? 'sockets' : 'other'
}
