import t from 'tap'
import { createOverloadRecords, isOverload } from '../../../gateway/pos/overload-records.js'
import type { ExchangeRecord } from '../../../gateway/pos/response.js'

const entry: ExchangeRecord = {
  requestId: 'r',
  endpoint: 'basket',
  status: 503,
  outcome: 'unavailable',
  code: 'unavailable',
  durationMs: 0,
  bytesIn: 0,
  bytesOut: 150,
  calculationId: null,
  cause: 'overloaded',
}

t.test('the first call refused for overload has a record, and then one record a second has their number', async (t) => {
  let now = 0
  const recordOf = createOverloadRecords(() => now)
  const written: (number | undefined)[] = []
  for (; now < 2_500; now += 10) {
    const record = recordOf(entry)
    if (record !== null) written.push(record.refused)
  }
  t.same(written, [1, 100, 100])
})

t.test('every other 503 has its own record', async (t) => {
  t.ok(isOverload(entry))
  t.ok(isOverload({ ...entry, cause: 'pipelined' }))
  t.notOk(isOverload({ ...entry, cause: 'deadline' }))
  t.notOk(isOverload({ ...entry, code: '', status: 200, cause: null }))
})
