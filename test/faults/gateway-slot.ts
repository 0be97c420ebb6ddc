import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningService, startService } from '../e2e/service.js'
import type { Link } from './link.js'

/** Resources of a process, from the kernel. */
export interface Usage {
  readonly descriptors: number
  readonly memoryMb: number
}

/** A place for a gateway: processes start and end in it, each behind proxies of its own. */
export interface GatewaySlot {
  readonly redisLink: Link
  readonly postgresLink: Link
  readonly service: RunningService | null
  /** Right after the start of the process that runs now. */
  readonly base: Usage | null
  usage(): Usage | null
  start(more?: Readonly<Record<string, string>>): Promise<void>
  /** Ends it with a signal and waits for its end; resolves to the exit code, null where the signal killed it. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** Stops its processor for a while: SIGSTOP, then SIGCONT. */
  freeze(ms: number): Promise<void>
  /** Log records of level error or above of every process that ran here, and unrequested ends. */
  complaints(): readonly string[]
  /** Why calls were answered 503, as far as the log level shows, and how often. */
  causes(): ReadonlyMap<string, number>
}

export function createGatewaySlot(
  links: Pick<GatewaySlot, 'redisLink' | 'postgresLink'>,
  env: Readonly<Record<string, string>>,
): GatewaySlot {
  let service: RunningService | null = null
  let base: Usage | null = null
  const outputs: (readonly string[])[] = []
  const deaths: string[] = []

  /** @param mortal  it will end by itself at a failpoint, and is not replaced */
  function watch(started: RunningService, mortal: boolean): void {
    started.child.once('exit', (code, signal) => {
      if (service !== started) return
      if (mortal) {
        service = null
        void started.stop('SIGKILL')
      } else deaths.push(`the gateway ended by itself (${signal ?? code}): ${started.output.slice(-5)}`)
    })
  }

  return {
    ...links,
    get service() {
      return service
    },
    get base() {
      return base
    },
    usage: () => (service === null ? null : usageOf(service.child.pid!)),
    async start(more = {}) {
      const started = await startService({ env: { ...env, ...more } })
      outputs.push(started.output)
      service = started
      base = usageOf(started.child.pid!)
      watch(started, more['FAILPOINT']?.startsWith('kill') ?? false)
    },
    async end(signal) {
      const ending = service
      service = null
      return (await ending?.stop(signal)) ?? null
    },
    async freeze(ms) {
      const frozen = service?.child
      frozen?.kill('SIGSTOP')
      await sleep(ms)
      frozen?.kill('SIGCONT')
    },
    complaints: () => [...deaths, ...outputs.flat().filter(isError)],
    causes() {
      const counts = new Map<string, number>()
      for (const line of outputs.flat()) {
        const cause = /"cause":"([^"]+)"/.exec(line)?.[1]
        if (cause !== undefined) counts.set(cause, (counts.get(cause) ?? 0) + 1)
      }
      return counts
    },
  }
}

function isError(line: string): boolean {
  const level = /^\{"level":(\d+)/.exec(line)?.[1]
  return level === undefined ? /Error|unhandled/i.test(line) : Number(level) >= 50
}

function usageOf(pid: number): Usage {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { descriptors: readdirSync(`/proc/${pid}/fd`).length, memoryMb: Math.round(Number(kilobytes) / 1024) }
}
