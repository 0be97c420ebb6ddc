import t from 'tap'
import type { Announcement, ToProcess } from '../../../gateway/processes/messages.js'
import { mergeMetrics } from '../../../gateway/processes/metrics-rounds.js'
import { type ChildEvents, startSupervisor } from '../../../gateway/processes/supervisor.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import { until } from '../../support/until.js'

const announcement: Announcement = {
  http: { host: '127.0.0.1', port: 1 },
  internal: { host: '127.0.0.1', port: 2 },
  secretsFile: null,
  tokensFile: null,
  programmeVersion: 1,
  consolePath: '/console',
  warnings: [],
}

/** A process that the test controls. */
interface FakeChild {
  readonly number: number
  readonly publishes: boolean
  readonly events: ChildEvents
  readonly received: ToProcess[]
  killed: boolean
}

function aSupervisor(count: number) {
  const children: FakeChild[] = []
  const exits: number[] = []
  const announced: Announcement[] = []
  const supervisor = startSupervisor({
    count,
    fork(number, publishes, events) {
      const child: FakeChild = { number, publishes, events, received: [], killed: false }
      children.push(child)
      return {
        send: (message) => void child.received.push(message),
        kill() {
          child.killed = true
        },
      }
    },
    metrics: createMetrics('supervisor'),
    announce: (said) => void announced.push(said),
    exit: (code) => void exits.push(code),
    warn: () => {},
  })
  const up = (child: FakeChild) => child.events.said({ kind: 'up', announcement })
  return { supervisor, children, exits, announced, up }
}

/** A group of this many processes, all up. */
function aCompleteGroup(count: number) {
  const group = aSupervisor(count)
  group.up(group.children[0]!)
  for (const child of group.children.slice(1)) group.up(child)
  return group
}

const lastProcessCount = ({ received }: FakeChild) =>
  received.filter((message) => message.kind === 'process_count').at(-1)?.processCount

t.test('the first process starts alone and publishes, then the others start and publish nothing', async (t) => {
  const { children, announced, up } = aSupervisor(3)
  t.same(
    children.map(({ number, publishes }) => [number, publishes]),
    [[1, true]],
  )
  up(children[0]!)
  t.same(
    children.map(({ number, publishes }) => [number, publishes]),
    [
      [1, true],
      [2, false],
      [3, false],
    ],
  )
  up(children[1]!)
  t.same(lastProcessCount(children[0]!), { up: 2, of: 3, complete: false })
  t.same(announced, [], 'nothing is announced while one is missing')
  up(children[2]!)
  t.same(announced, [announcement])
  for (const child of children) t.same(lastProcessCount(child), { up: 3, of: 3, complete: true })
})

t.test('a process that cannot start stops the start', async (t) => {
  const { children, exits, up } = aSupervisor(2)
  up(children[0]!)
  children[1]!.events.ended(1)
  t.same(children[0]!.received.at(-1), { kind: 'stop' })
  t.same(exits, [])
  children[0]!.events.ended(0)
  t.same(exits, [1])
})

t.test('a dead process is replaced, nothing is published again, and the others stay ready', async (t) => {
  const { children, exits, up } = aCompleteGroup(2)
  children[0]!.events.ended(null)
  t.same(lastProcessCount(children[1]!), { up: 1, of: 2, complete: true })
  await until(
    () => children.length,
    (started) => started === 3,
  )
  t.match(children[2], { number: 1, publishes: false })
  up(children[2]!)
  t.same(lastProcessCount(children[1]!), { up: 2, of: 2, complete: true })
  t.same(exits, [])
})

t.test('a stop waits for all, and replaces none of them', async (t) => {
  const { supervisor, children, exits } = aCompleteGroup(2)
  supervisor.stop()
  for (const child of children) t.same(child.received.at(-1), { kind: 'stop' })
  children[0]!.events.ended(0)
  t.same(exits, [])
  children[1]!.events.ended(0)
  t.same(exits, [0])
  t.equal(children.length, 2)
})

t.test('a second stop ends all at once, and is not an orderly stop', async (t) => {
  const { supervisor, children, exits } = aCompleteGroup(2)
  supervisor.stop()
  supervisor.stop()
  t.ok(children.every(({ killed }) => killed))
  for (const child of children) child.events.ended(null)
  t.equal(exits.at(-1), 1)
})

t.test('metrics of all go to the process that asked, and a stuck one is omitted', async (t) => {
  const { children } = aCompleteGroup(3)
  const [first, second] = children
  first!.events.said({ kind: 'metrics_wanted', ticket: 7 })
  for (const [at, child] of [first!, second!].entries()) {
    const asked = child.received.at(-1)
    if (asked?.kind !== 'metrics_asked') throw new Error('every process is asked')
    child.events.said({ kind: 'metrics_given', round: asked.round, text: sample(at + 1) })
  }
  const gathered = await until(
    () => first!.received.at(-1)!,
    ({ kind }) => kind === 'metrics_gathered',
  )
  if (gathered.kind !== 'metrics_gathered') throw new Error('unreachable')
  t.equal(gathered.ticket, 7)
  t.match(gathered.text, /things_total\{process="1"\} 5\nthings_total\{process="2"\} 5\n/)
  t.match(gathered.text, /loyalty_processes_up\{process="supervisor"\} 3/)
  t.notMatch(gathered.text, /process="3"/)
})

t.test('merged metrics have one head each, with their samples below', async (t) => {
  const merged = mergeMetrics([`${sample(1)}\n# HELP only One.\n# TYPE only gauge\nonly 1\n`, sample(2)])
  t.equal(
    merged,
    [
      '# HELP things_total Things.',
      '# TYPE things_total counter',
      'things_total{process="1"} 5',
      'things_total{process="2"} 5',
      '',
      '# HELP only One.',
      '# TYPE only gauge',
      'only 1',
      '',
    ].join('\n'),
  )
})

function sample(number: number): string {
  return `# HELP things_total Things.\n# TYPE things_total counter\nthings_total{process="${number}"} 5\n`
}
