import t from 'tap'
import { type Served, startServed } from './served.js'
import { consoleSuite } from './services-suite.js'

// A whole service, on a busy machine.
t.setTimeout(300_000)

t.test('what a console asks, on embedded stores', async (t) => {
  let served: Served
  t.before(async () => {
    served = await startServed()
  })
  t.after(() => served.service.stop())
  consoleSuite(t, () => served)
})
