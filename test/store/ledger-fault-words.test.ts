import t from 'tap'
import { StoreFault } from '../../store/fault.js'
import { faultFromError, type Stage } from '../../store/postgres/connection/faults.js'

/** An error of the server or the driver, and its meaning before the statement was sent, for a read and for a write. */
const words: readonly (readonly [said: Error, unsent: string, reading: string, writing: string])[] = [
  [serverSaid('57P01'), 'unreachable', 'unreachable', 'in_doubt'],
  [serverSaid('57P02'), 'unreachable', 'unreachable', 'in_doubt'],
  [serverSaid('08006'), 'unreachable', 'unreachable', 'in_doubt'],
  [serverSaid('57P03'), 'unreachable', 'unreachable', 'unreachable'],
  [serverSaid('53300'), 'unreachable', 'unreachable', 'unreachable'],
  [serverSaid('28P01'), 'unreachable', 'unreachable', 'unreachable'],
  [serverSaid('57014'), 'busy', 'busy', 'busy'],
  [serverSaid('55P03'), 'busy', 'busy', 'busy'],
  [serverSaid('40P01'), 'busy', 'busy', 'busy'],
  [serverSaid('53100'), 'full', 'full', 'full'],
  [serverSaid('25006'), 'full', 'full', 'full'],
  [driverSaid('ECONNREFUSED'), 'unreachable', 'unreachable', 'in_doubt'],
  [driverSaid('CONNECTION_CLOSED'), 'unreachable', 'unreachable', 'in_doubt'],
  [driverSaid('CONNECT_TIMEOUT'), 'unreachable', 'unreachable', 'in_doubt'],
  [driverSaid('ENOSPC'), 'full', 'full', 'full'],
  [serverSaid('22021'), 'no fault', 'no fault', 'no fault'],
  [serverSaid('42601'), 'no fault', 'no fault', 'no fault'],
  [serverSaid('P0001'), 'no fault', 'no fault', 'no fault'],
  [driverSaid('UNDEFINED_VALUE'), 'no fault', 'no fault', 'no fault'],
  [new TypeError('a mistake'), 'no fault', 'no fault', 'no fault'],
  [new StoreFault('ledger', 'timeout'), 'timeout', 'timeout', 'timeout'],
]

t.test('every error of server and driver means one fault, or a mistake of ours', (t) => {
  for (const [said, ...meant] of words) {
    const stages: readonly Stage[] = ['unsent', 'reading', 'writing']
    const found = stages.map((stage) => kindOf(faultFromError(said, stage)))
    t.same(found, meant, 'code' in said ? String(said.code) : said.message)
  }
  t.end()
})

t.test('a fault carries the original error, a mistake is passed on unchanged', (t) => {
  const said = serverSaid('57P01')
  const fault = faultFromError(said, 'writing')
  t.equal(fault instanceof StoreFault && fault.cause, said)
  const mistake = new TypeError('a mistake')
  t.equal(faultFromError(mistake, 'writing'), mistake)
  t.end()
})

function kindOf(error: unknown): string {
  return error instanceof StoreFault ? error.kind : 'no fault'
}

function serverSaid(code: string): Error {
  return Object.assign(new Error(code), { code, severity: 'ERROR' })
}

function driverSaid(code: string): Error {
  return Object.assign(new Error(code), { code })
}
