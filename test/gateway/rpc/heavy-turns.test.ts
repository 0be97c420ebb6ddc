import t from 'tap'
import { createHeavyTurns, heavyAtOnce, heavyWaitingMax } from '../../../gateway/rpc/heavy-turns.js'

const signal = () => new AbortController().signal

t.test('a flood of heavy calls of readers refuses readers, and lets those of admins wait and go first', async (t) => {
  const turns = createHeavyTurns()
  const begun: string[] = []
  const running = await Promise.all(Array.from({ length: heavyAtOnce }, () => turns.take('reader', signal())))
  const readers = Array.from({ length: heavyWaitingMax }, async (_, at) => {
    const end = await turns.take('reader', signal())
    begun.push(`reader ${at}`)
    end!()
  })
  t.equal(await turns.take('reader', signal()), null, 'the next reader is refused')
  const admins = Array.from({ length: 2 }, async (_, at) => {
    const end = await turns.take('admin', signal())
    begun.push(`admin ${at}`)
    end!()
  })
  running[0]!()
  await Promise.all([...readers, ...admins])
  t.same(begun.slice(0, 4), ['admin 0', 'admin 1', 'reader 0', 'reader 1'])
  t.equal(begun.length, heavyWaitingMax + 2)
})

t.test('a call that is given up in the queue leaves it', async (t) => {
  const turns = createHeavyTurns()
  const running = await Promise.all(Array.from({ length: heavyAtOnce }, () => turns.take('admin', signal())))
  const abort = new AbortController()
  const given = turns.take('admin', abort.signal)
  const next = turns.take('admin', signal())
  abort.abort(new Error('gone'))
  await t.rejects(given, { message: 'gone' })
  running[0]!()
  t.type(await next, 'function')
})
