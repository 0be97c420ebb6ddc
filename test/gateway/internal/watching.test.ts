import t from 'tap'
import { boundWatchers, watchersMax } from '../../../gateway/internal/watching.js'

t.test('a limited number may watch one call, and another when one leaves or fails', async (t) => {
  const watch = boundWatchers(async function* (fails: boolean) {
    yield 'begun'
    if (fails) throw new Error('broken')
    yield 'going on'
  })
  const open = Array.from({ length: watchersMax }, (_, at) => watch(at === 0))
  for (const watcher of open) t.same(await watcher.next(), { done: false, value: 'begun' })
  await t.rejects(watch(false).next(), { message: /64 watch already/ })
  await t.rejects(open[0]!.next(), { message: 'broken' })
  const next = watch(false)
  t.match(await next.next(), { value: 'begun' })
  await t.rejects(watch(false).next(), { message: /64 watch already/ })
  await open[1]!.return(undefined)
  t.match(await watch(false).next(), { value: 'begun' })
})
