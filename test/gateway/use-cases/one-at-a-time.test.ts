import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createOneAtATime } from '../../../gateway/use-cases/one-at-a-time.js'

t.test('calls with one key run one after the other, however each ends', async (t) => {
  const turns = createOneAtATime()
  let running = 0
  let most = 0
  const work = async (at: number) => {
    running += 1
    most = Math.max(most, running)
    await turn()
    running -= 1
    if (at % 3 === 0) throw new Error('ended badly')
    return at
  }
  const ended = await Promise.allSettled(
    Array.from({ length: 30 }, (_, at) => turns.run('key', 120_000, () => work(at))),
  )
  t.equal(most, 1)
  t.equal(ended.filter(({ status }) => status === 'fulfilled').length, 20)
})

t.test('calls with different keys run side by side', async (t) => {
  const turns = createOneAtATime()
  const never = new Promise<never>(() => {})
  void turns.run('one', 120_000, () => never)
  t.equal(await turns.run('other', 0, async () => 'done'), 'done')
})

t.test('a call whose turn does not come in time is not begun', async (t) => {
  const turns = createOneAtATime()
  const never = new Promise<never>(() => {})
  void turns.run('key', 120_000, () => never)
  let begun = false
  const reply = await turns.run('key', 5, async () => {
    begun = true
  })
  t.equal(reply, 'waited_too_long')
  t.notOk(begun)
})
