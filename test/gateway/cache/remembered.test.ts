import t from 'tap'
import { createRemembered } from '../../../gateway/cache/remembered.js'

/** A store that answers when the test lets it. */
function aStore() {
  const asked: { readonly key: string; readonly answer: (value: { readonly n: number }) => void }[] = []
  const find = (key: string) => new Promise<{ readonly n: number }>((answer) => void asked.push({ key, answer }))
  return { asked, remembered: createRemembered(10, find) }
}

t.test('callers during a look-up share it, and its result is then remembered', async (t) => {
  const { asked, remembered } = aStore()
  const both = Promise.all([remembered.get('a'), remembered.get('a')])
  t.equal(asked.length, 1)
  asked[0]!.answer({ n: 1 })
  t.same(await both, [{ n: 1 }, { n: 1 }])
  t.same(remembered.get('a'), { n: 1 })
  remembered.forget('a')
  t.ok(remembered.get('a') instanceof Promise)
})

t.test('a look-up begun before a change is neither remembered nor joined after it', async (t) => {
  const { asked, remembered } = aStore()
  const old = remembered.get('a')
  remembered.renew()
  const fresh = remembered.get('a')
  t.equal(asked.length, 2)
  asked[1]!.answer({ n: 2 })
  asked[0]!.answer({ n: 1 })
  t.same(await Promise.all([old, fresh]), [{ n: 1 }, { n: 2 }])
  t.same(remembered.get('a'), { n: 2 })
})

t.test('what a caller looked up is stored, unless a change came meanwhile', async (t) => {
  const { asked, remembered } = aStore()
  const store = remembered.begin()
  store('a', { n: 1 })
  t.same([remembered.get('a'), remembered.known('a')], [{ n: 1 }, { n: 1 }])
  remembered.renew()
  store('a', { n: 0 })
  store('b', { n: 0 })
  t.same([remembered.known('a'), remembered.known('b')], [{ n: 1 }, undefined])
  t.same(asked, [], 'the store is not asked')
})

t.test('a failed look-up is repeated', async (t) => {
  let fails = true
  const remembered = createRemembered(10, async () => {
    if (fails) throw new Error('away')
    return { n: 1 }
  })
  await t.rejects(Promise.resolve(remembered.get('a')), /away/)
  fails = false
  t.same(await remembered.get('a'), { n: 1 })
})
