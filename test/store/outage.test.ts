import t from 'tap'
import { apartMs, createOutage, failuresMin, outageMs } from '../../store/postgres/connection/outage.js'

t.test('an outage is failures for seconds without one success', (t) => {
  let nowMs = 0
  const outage = createOutage(() => nowMs)
  t.notOk(outage.isLasting())
  for (let failure = 0; failure < failuresMin; failure += 1) outage.failed()
  nowMs = outageMs
  t.notOk(outage.isLasting(), 'many failures at once are one')
  outage.worked()
  nowMs = 0
  for (let failure = 0; failure < failuresMin; failure += 1) {
    t.notOk(outage.isLasting())
    outage.failed()
    nowMs += apartMs
  }
  nowMs = outageMs - 1
  t.notOk(outage.isLasting())
  nowMs = outageMs
  t.ok(outage.isLasting())
  outage.worked()
  t.notOk(outage.isLasting(), 'one success ends it')
  outage.failed()
  nowMs += outageMs
  t.notOk(outage.isLasting(), 'time in which nobody tried, or this process stood still, is none')
  t.end()
})
