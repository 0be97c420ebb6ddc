import t from 'tap'
import { type Served, startServed } from './served.js'
import { servicesSuite } from './services-suite.js'

// A whole service, on a busy machine.
t.setTimeout(600_000)

t.test('internal services on embedded stores', async (t) => {
  let served: Served
  t.before(async () => {
    served = await startServed()
  })
  t.after(() => served.service.stop())
  servicesSuite(t, () => served)
})
