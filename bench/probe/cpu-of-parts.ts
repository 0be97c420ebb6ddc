import { readdirSync, readFileSync } from 'node:fs'

/** Processor time of each part so far, in microseconds, from the kernel. */
export interface CpuOfParts {
  readonly main: number
  /** The busiest thread besides the main thread, per process; so it needs a single pricing thread. */
  readonly pricing: number
  /** The gateway's other threads: garbage collection, compilation, file and crypto pool. */
  readonly gatewayOther: number
  readonly redis: number
  /** The postmaster and its children, ended ones included. */
  readonly postgres: number
}

export type Part = keyof CpuOfParts
export const parts: readonly Part[] = ['main', 'pricing', 'gatewayOther', 'redis', 'postgres']

export interface Processes {
  readonly gateway: number
  readonly redis: number
  readonly postgres: number
}

/** Clock ticks per second in Linux's process times. */
const ticksPerSecond = 100

/** Processor time by thread id, in microseconds. */
type Threads = ReadonlyMap<number, number>

export interface CpuReading {
  readonly gateway: Threads
  readonly redis: number
  readonly postgres: number
}

export function readCpu({ gateway, redis, postgres }: Processes): CpuReading {
  return { gateway: threadsOf(gateway), redis: cpuOfTree(redis), postgres: cpuOfTree(postgres) }
}

/** Processor time so far of a process and its descendants, ended ones included, in microseconds. */
export function cpuOfTree(pid: number): number {
  const own = sumOf(threadsOf(pid)) + endedChildrenOf(pid)
  return childrenOf(pid).reduce((sum, child) => sum + cpuOfTree(child), own)
}

export function cpuBetween(before: CpuReading, after: CpuReading, gateway: number): CpuOfParts {
  const used = new Map([...after.gateway].map(([thread, now]) => [thread, now - (before.gateway.get(thread) ?? 0)]))
  const main = used.get(gateway) ?? 0
  used.delete(gateway)
  const pricing = Math.max(0, ...used.values())
  return {
    main,
    pricing,
    gatewayOther: sumOf(used) - pricing,
    redis: after.redis - before.redis,
    postgres: after.postgres - before.postgres,
  }
}

/** Memory of a process and its children, shared pages counted once, in megabytes. */
export function memoryOf(pid: number): number {
  const sizes = [pid, ...childrenOf(pid)].map(
    (each) => /^Pss:\s+(\d+)/m.exec(textOf(`/proc/${each}/smaps_rollup`))?.[1],
  )
  return sizes.reduce((sum, kilobytes) => sum + Number(kilobytes ?? 0) / 1_024, 0)
}

function threadsOf(pid: number): Threads {
  const threads = new Map<number, number>()
  for (const thread of listOf(`/proc/${pid}/task`)) {
    const [onCpu] = textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ')
    threads.set(Number(thread), Number(onCpu) / 1_000)
  }
  return threads
}

function childrenOf(pid: number): readonly number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

/** cutime and cstime of `/proc/PID/stat`, counted after the name in brackets, in microseconds. */
function endedChildrenOf(pid: number): number {
  const fields = textOf(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * (1e6 / ticksPerSecond)
}

export function sumOf(micros: ReadonlyMap<unknown, number>): number {
  return [...micros.values()].reduce((sum, each) => sum + each, 0)
}

/** Empty: the thread or process has just ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function listOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
