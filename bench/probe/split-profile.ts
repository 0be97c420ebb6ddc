import type { Profiler, Runtime } from 'node:inspector'
import { type ProfiledPart, partOfStack } from './part-of-frame.js'
import type { ThreadProfile } from './profile-threads.js'

/** One stack with its own time; innermost frame first. */
interface SampledStack {
  readonly stack: readonly Runtime.CallFrame[]
  readonly micros: number
}

/** Sampled time of each part while the thread did not wait, in microseconds of the wall clock. */
export function splitProfile(thread: ThreadProfile): ReadonlyMap<ProfiledPart, number> {
  const parts = new Map<ProfiledPart, number>()
  for (const { part, micros } of busyStacks(thread)) parts.set(part, (parts.get(part) ?? 0) + micros)
  return parts
}

/** The profiles as one file of https://www.speedscope.app, a profile for each thread, waiting left out. */
export function flameGraph(name: string, threads: readonly ThreadProfile[]): string {
  const frames = new Map<string, { readonly at: number; readonly frame: object }>()
  const numberOf = ({ functionName, url, lineNumber }: Runtime.CallFrame): number => {
    const key = `${functionName}\n${url}\n${lineNumber}`
    const frame = { name: functionName === '' ? '(anonymous)' : functionName, file: url, line: lineNumber + 1 }
    if (!frames.has(key)) frames.set(key, { at: frames.size, frame })
    return frames.get(key)!.at
  }
  const profiles = threads.map((thread) => {
    const stacks = busyStacks(thread)
    return {
      ...{ type: 'sampled', name: thread.name, unit: 'microseconds', startValue: 0 },
      endValue: stacks.reduce((sum, { micros }) => sum + micros, 0),
      samples: stacks.map(({ stack }) => stack.map(numberOf).reverse()),
      weights: stacks.map(({ micros }) => micros),
    }
  })
  const shared = { frames: [...frames.values()].map(({ frame }) => frame) }
  return JSON.stringify({ $schema: 'https://www.speedscope.app/file-format-schema.json', name, shared, profiles })
}

function busyStacks(thread: ThreadProfile): (SampledStack & { readonly part: ProfiledPart })[] {
  const kind = thread.name === 'main' ? 'main' : 'pricing'
  return sampledStacks(thread.profile).flatMap(({ stack, micros }) => {
    const part = partOfStack(stack, kind)
    return part === null ? [] : [{ stack, micros, part }]
  })
}

function sampledStacks({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): SampledStack[] {
  const microsOf = new Map<number, number>()
  for (const [at, id] of samples.entries()) microsOf.set(id, (microsOf.get(id) ?? 0) + timeDeltas[at]!)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parentOf = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)))
  return [...microsOf].map(([id, micros]) => {
    const stack: Runtime.CallFrame[] = []
    // The outermost node is V8's own root.
    for (let at: number | undefined = id; at !== undefined && parentOf.has(at); at = parentOf.get(at)) {
      stack.push(byId.get(at)!.callFrame)
    }
    return { stack, micros }
  })
}
