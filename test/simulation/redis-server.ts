import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Owner, VirtualTime } from './virtual-time.js'

type Argument = string | number | Uint8Array
type Reply = (string | number | Buffer)[]

interface Calculation {
  answer: Buffer
  record: Buffer | null
  endsAtMs: number
}

interface Counter {
  readonly used: number
  readonly open: number
  readonly endsAtMs: number
  held: number
  readonly units: Map<string, number>
  readonly supersedes: Map<string, string>
  readonly holds: Map<string, number>
}

interface Claims {
  count: number
  endsAtMs: number
}

interface Memory {
  readonly claims: Map<string, Claims>
  readonly calculations: Map<string, Calculation>
  readonly journals: Map<string, Map<string, number>>
  readonly counters: Map<string, Counter>
  readonly marks: Map<string, string>
  readonly scripts: Set<string>
}

/** A Redis that runs the cache's scripts one at a time; its memory can be lost or replaced by an older one. */
export interface RedisServer {
  owner: Owner
  /** Writes are refused: out of memory. */
  full: boolean
  /** Offset of its clock from the true time. */
  clockAheadMs: number
  /** Runs one command; a string that begins with a word in capitals is an error reply. */
  execute(command: string, args: readonly Argument[]): { readonly reply: unknown } | { readonly error: string }
  /** Whether the answer, and the journalled record, of a calculation are here. */
  holds(calculationId: string): { readonly answer: boolean; readonly record: boolean }
  /** Ids that are journalled. */
  journalled(): readonly string[]
  copyMemory(): () => void
  wipe(): void
}

const folder = join(import.meta.dirname, '..', '..', 'store', 'redis', 'lua')
const verbNames = [
  'find_answer',
  'survey',
  'vouch',
  'correct',
  'claim',
  'release',
  'keep',
  'remember',
  'read_journal',
  'journal_depth',
  'forget_journalled',
  'forget_answer',
  'reserve',
  'confirm_hold',
  'give_back',
  'load_counter',
] as const
type VerbName = (typeof verbNames)[number]
const texts = new Map(verbNames.map((name) => [readFileSync(join(folder, `${name}.lua`), 'utf8'), name]))
const digests = new Map([...texts].map(([text, name]) => [createHash('sha1').update(text).digest('hex'), name]))
const allowedWhenFull = new Set<VerbName>([
  'find_answer',
  'release',
  'read_journal',
  'journal_depth',
  'forget_journalled',
  'forget_answer',
  'give_back',
])

/** @param onKept  called for every answer that a `keep` has claimed */
export function createRedisServer(
  time: Pick<VirtualTime, 'nowMs'>,
  onKept: (calculationId: string, answer: Buffer) => void,
): RedisServer {
  let memory = emptyMemory()
  const runIds = new WeakMap<Owner, string>()
  let runs = 0
  const nowMs = () => Math.round(time.nowMs + server.clockAheadMs)

  function calculation(key: string): Calculation | undefined {
    const found = memory.calculations.get(key)
    if (found === undefined || found.endsAtMs > nowMs()) return found
    memory.calculations.delete(key)
    return undefined
  }

  /** A new one at every start of the process. */
  function runId(): string {
    const known = runIds.get(server.owner)
    if (known !== undefined) return known
    runs += 1
    const made = String(runs).padStart(40, '0')
    runIds.set(server.owner, made)
    return made
  }

  function isVouched(key: string): boolean {
    return memory.marks.get(key)?.startsWith(runId()) === true
  }

  function known({ answer, record }: Calculation): Reply {
    return ['known', answer, ...(record === null ? [] : [record])]
  }

  function claims(key: string): number {
    const found = memory.claims.get(key)
    return found !== undefined && found.endsAtMs > nowMs() ? found.count : 0
  }

  function counter(key: string): Counter | undefined {
    const found = memory.counters.get(key)
    if (found === undefined || found.endsAtMs > nowMs()) return found
    memory.counters.delete(key)
    return undefined
  }

  const verbs: Record<VerbName, (keys: readonly string[], args: readonly Argument[]) => Reply> = {
    find_answer([key, vouched], [mark]) {
      if (!isVouched(vouched!)) return ['unvouched']
      const found = calculation(key!)
      if (found) return known(found)
      return String(mark) !== '' && memory.marks.get(vouched!) !== String(mark) ? ['unvouched'] : ['unknown']
    },
    survey([vouched], [nonce]) {
      const mark = memory.marks.get(vouched!)
      if (mark !== undefined && isVouched(vouched!)) return ['vouched', mark]
      if (mark?.startsWith(`?${runId()}`)) return ['waiting', mark]
      const waiting = `?${runId()}:${nonce}`
      memory.marks.set(vouched!, waiting)
      return ['waiting', waiting]
    },
    vouch([vouched], [waiting]) {
      const mark = memory.marks.get(vouched!)
      const made = String(waiting).slice(1)
      if (mark === made && isVouched(vouched!)) return ['vouched', mark]
      if (mark !== String(waiting) || !made.startsWith(runId())) return ['changed']
      memory.marks.set(vouched!, made)
      return ['vouched', made]
    },
    correct([key, journal], [id, answer, lifetime]) {
      memory.journals.get(journal!)?.delete(String(id))
      memory.claims.delete(key!)
      memory.calculations.delete(key!)
      if (String(answer) !== '') {
        memory.calculations.set(key!, { answer: bytes(answer!), record: null, endsAtMs: nowMs() + Number(lifetime) })
      }
      return ['corrected']
    },
    claim([key, vouched], [lifetime]) {
      if (!isVouched(vouched!)) return ['unvouched']
      const found = calculation(key!)
      if (found) return known(found)
      memory.claims.set(key!, { count: claims(key!) + 1, endsAtMs: nowMs() + Number(lifetime) })
      return ['claimed']
    },
    release([key]) {
      const count = claims(key!)
      if (count === 0) return ['absent']
      const { endsAtMs } = memory.claims.get(key!)!
      if (count === 1) memory.claims.delete(key!)
      else memory.claims.set(key!, { count: count - 1, endsAtMs })
      return ['released']
    },
    keep([key, journal, vouched], [id, answer, record, mark]) {
      if (!isVouched(vouched!)) return ['unvouched']
      const found = calculation(key!)
      if (found) return known(found)
      if (claims(key!) > 0) return ['claimed']
      if (memory.marks.get(vouched!) !== String(mark)) return ['unvouched']
      memory.calculations.set(key!, {
        answer: bytes(answer!),
        record: bytes(record!),
        endsAtMs: Number.POSITIVE_INFINITY,
      })
      const entries = memory.journals.get(journal!) ?? new Map<string, number>()
      memory.journals.set(journal!, entries.set(String(id), nowMs()))
      onKept(String(id), bytes(answer!))
      return ['kept']
    },
    remember([key], [answer, lifetime]) {
      if (calculation(key!)?.record) return ['journalled']
      memory.claims.delete(key!)
      memory.calculations.set(key!, {
        answer: bytes(answer!),
        record: null,
        endsAtMs: nowMs() + Number(lifetime),
      })
      return ['remembered']
    },
    read_journal([journal], [max, olderThan]) {
      const entries = [...(memory.journals.get(journal!) ?? [])].sort(([, left], [, right]) => left - right)
      const ageMs = Number(olderThan)
      const ahead = ageMs === 0 ? [] : entries.filter(([, keptAt]) => keptAt > nowMs() + ageMs)
      const due = ageMs === 0 ? entries : entries.filter(([, keptAt]) => keptAt <= nowMs() - ageMs)
      const depth = entries.length === 0 ? [0, 0] : [entries.length, Math.max(0, nowMs() - entries[0]![1])]
      return [...depth, ...[...ahead, ...due].slice(0, Number(max)).flat()]
    },
    journal_depth([journal]) {
      const kept = [...(memory.journals.get(journal!)?.values() ?? [])]
      return kept.length === 0 ? [0, 0] : [kept.length, Math.max(0, nowMs() - Math.min(...kept))]
    },
    forget_journalled([journal, ...keys], [lifetime, ...ids]) {
      const entries = memory.journals.get(journal!)
      let count = 0
      for (const [at, key] of keys.entries()) {
        const keptAt = entries?.get(String(ids[at])) ?? nowMs()
        const known = calculation(key)
        if (known?.record) {
          known.record = null
          known.endsAtMs = nowMs() + Math.min(keptAt - nowMs(), 0) + Number(lifetime)
          count += 1
        }
        entries?.delete(String(ids[at]))
      }
      return ['forgotten', count]
    },
    forget_answer([key]) {
      if (calculation(key!)?.record) return ['journalled']
      memory.calculations.delete(key!)
      return ['forgotten']
    },
    reserve([key], [id, supersedes, units, maximum, lifetime]) {
      const found = counter(key!)
      return found
        ? reserve(found, {
            own: String(id),
            supersedes: String(supersedes),
            units: Number(units),
            maximum: Number(maximum),
            endsAtMs: nowMs() + Number(lifetime),
            nowMs: nowMs(),
          })
        : ['unknown']
    },
    confirm_hold([key], [id, lifetime]) {
      const found = counter(key!)
      if (!found?.units.has(String(id))) return ['absent']
      found.holds.set(String(id), nowMs() + Number(lifetime))
      const superseded = found.supersedes.get(String(id))
      found.supersedes.delete(String(id))
      if (superseded !== undefined) drop(found, superseded)
      return ['confirmed']
    },
    give_back([key], [id]) {
      const found = counter(key!)
      if (!found?.units.has(String(id))) return ['absent']
      drop(found, String(id))
      return ['given_back']
    },
    load_counter([key], [used, open, lifetime]) {
      if (counter(key!)) return ['known']
      const loaded = { used: Number(used), open: Number(open), held: 0, endsAtMs: nowMs() + Number(lifetime) }
      memory.counters.set(key!, { ...loaded, units: new Map(), supersedes: new Map(), holds: new Map() })
      return ['loaded']
    },
  }

  function runScript(name: VerbName, args: readonly Argument[]) {
    if (server.full && !allowedWhenFull.has(name)) return { error: 'OOM command not allowed' }
    const count = Number(args[1])
    return { reply: verbs[name](args.slice(2, 2 + count).map(String), args.slice(2 + count)) }
  }

  const server: RedisServer = {
    owner: { alive: true, resumesAtMs: 0 },
    full: false,
    clockAheadMs: 0,
    execute(command, args) {
      switch (command) {
        case 'evalsha': {
          const name = digests.get(String(args[0]))
          if (name === undefined || !memory.scripts.has(name)) return { error: 'NOSCRIPT No matching script' }
          return runScript(name, args)
        }
        case 'eval': {
          const name = texts.get(String(args[0]))!
          memory.scripts.add(name)
          return runScript(name, args)
        }
        case 'hmget': {
          const found = calculation(String(args[0]))
          return { reply: [found?.answer ?? null, found?.record ?? null] }
        }
        case 'unlink':
          memory.counters.delete(String(args[0]))
          return { reply: 1 }
        default:
          throw new Error(`the simulated Redis does not know ${command}`)
      }
    },
    holds(calculationId) {
      const key = [...memory.calculations.keys()].find((name) => name.endsWith(calculationId))
      const found = key === undefined ? undefined : calculation(key)
      return { answer: found !== undefined, record: found?.record != null }
    },
    journalled: () => [...memory.journals.values()].flatMap((entries) => [...entries.keys()]),
    copyMemory() {
      const copy = copyOf(memory)
      return () => {
        memory = copyOf(copy)
      }
    },
    wipe() {
      memory = emptyMemory()
    },
  }
  return server
}

interface Reservation {
  readonly own: string
  readonly supersedes: string
  readonly units: number
  readonly maximum: number
  readonly endsAtMs: number
  readonly nowMs: number
}

function reserve(counter: Counter, { own, supersedes, units, maximum, endsAtMs, nowMs }: Reservation): Reply {
  for (const [id, until] of [...counter.holds]) if (until <= nowMs || id === own) drop(counter, id)
  const freed = counter.units.get(supersedes) ?? 0
  const left = maximum - counter.used - counter.open - counter.held + freed
  if (units > left) return ['short', Math.max(left, 0)]
  counter.held += units
  counter.units.set(own, units)
  counter.holds.set(own, endsAtMs)
  if (supersedes !== '') counter.supersedes.set(own, supersedes)
  return ['reserved']
}

function drop(counter: Counter, id: string): void {
  counter.held -= counter.units.get(id) ?? 0
  counter.units.delete(id)
  counter.supersedes.delete(id)
  counter.holds.delete(id)
}

function emptyMemory(): Memory {
  return {
    claims: new Map(),
    calculations: new Map(),
    journals: new Map(),
    counters: new Map(),
    marks: new Map(),
    scripts: new Set(),
  }
}

function copyOf({ claims, calculations, journals, counters, marks, scripts }: Memory): Memory {
  const copied = (counter: Counter): Counter => ({
    ...counter,
    units: new Map(counter.units),
    supersedes: new Map(counter.supersedes),
    holds: new Map(counter.holds),
  })
  return {
    claims: new Map([...claims].map(([key, each]) => [key, { ...each }])),
    calculations: new Map([...calculations].map(([key, each]) => [key, { ...each }])),
    journals: new Map([...journals].map(([key, entries]) => [key, new Map(entries)])),
    counters: new Map([...counters].map(([key, counter]) => [key, copied(counter)])),
    marks: new Map(marks),
    scripts: new Set(scripts),
  }
}

function bytes(argument: Argument): Buffer {
  return Buffer.isBuffer(argument) ? argument : Buffer.from(argument as Uint8Array)
}
