import t from 'tap'
import { partOfStack } from '../../bench/probe/part-of-frame.js'
import { flameGraph, splitProfile } from '../../bench/probe/split-profile.js'

const frame = (functionName: string, url = '') => ({ functionName, url, scriptId: '0', lineNumber: 1, columnNumber: 1 })
const built = 'file:///service/dist'
const worker = frame('onMessage', 'file:///service/node_modules/piscina/dist/worker.js')
const server = frame('handle', `${built}/gateway/pos/call.js`)

t.test('a stack belongs to the innermost frame whose file decides', async (t) => {
  const cases = [
    [[frame('writev'), frame('write', 'node:net'), frame('flush', 'node:_http_outgoing'), server], 'sockets'],
    [
      [frame('writev'), frame('write', 'node:net'), frame('send', `${built}/store/redis/client.js`), server],
      'redis client',
    ],
    [[frame('keep', `${built}/gateway/use-cases/keep-calculation.js`), server], 'use case'],
    [[frame('settleLines', `${built}/engine/core/lines/settle-lines.js`), worker], 'price'],
    [[frame('writeSync'), frame('packAnswer', `${built}/engine/wire/pack.js`), worker], 'pack'],
    [[frame('writeLine', `${built}/engine/wire/write-line.js`), worker], 'write'],
    [[frame('readLine', `${built}/engine/wire/basket-reader.js`), worker], 'read'],
    [[frame('onStreamRead', 'node:internal/stream_base_commons')], 'sockets'],
    [[frame('listOnTimeout', 'node:internal/timers')], 'other'],
    [[frame('(garbage collector)')], 'collection'],
    [[frame('(idle)')], null],
    [[frame('atomicsWaitLoop', worker.url), worker], null],
    [[frame('dispatch'), frame('start', `${built}/bench/probe/profile-threads.js`)], null],
  ] as const
  for (const [stack, part] of cases) t.equal(partOfStack(stack, 'pricing'), part, stack[0].functionName)
  t.equal(partOfStack([frame('(program)')], 'main'), 'sockets', 'native code of the event loop')
  t.equal(partOfStack([frame('(program)')], 'pricing'), 'other')
})

const node = (id: number, callFrame: ReturnType<typeof frame>, children: number[] = []) => ({ id, callFrame, children })
const thread = {
  name: 'thread 1',
  threadId: 7,
  profile: {
    nodes: [
      node(1, frame('(root)'), [2, 4]),
      node(2, worker, [3]),
      node(3, frame('readLine', `${built}/engine/wire/basket-reader.js`)),
      node(4, frame('(idle)')),
    ],
    startTime: 0,
    endTime: 100,
    samples: [3, 4, 2, 3],
    timeDeltas: [10, 50, 20, 20],
  },
}

t.test('a profile is split into its parts by sampled time, without what waited', async (t) => {
  t.same(
    [...splitProfile(thread)],
    [
      ['read', 30],
      ['hand-over', 20],
    ],
  )
})

t.test('a flame graph has each stack once, outermost frame first, without what waited', async (t) => {
  const { shared, profiles } = JSON.parse(flameGraph('gateway', [thread]))
  t.same(
    profiles[0].samples.map((stack: number[]) => stack.map((at) => shared.frames[at].name)),
    [['onMessage', 'readLine'], ['onMessage']],
  )
  t.same(profiles[0].weights, [30, 20])
  t.equal(profiles[0].endValue, 50)
})
