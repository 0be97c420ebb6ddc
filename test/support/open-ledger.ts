import { createEmbeddedLedger as openEmbedded } from '../../store/embedded/create-embedded-ledger.js'
import type { AdminLedger, Ledger as Doors, PosLedger } from '../../store/ledger.js'
import { createPostgresLedger as openPostgres } from '../../store/postgres/create-postgres-ledger.js'
import { createLedger as open } from '../../store/postgres/ledger.js'

/** Both doors of a ledger in one object, so that a test can do something through one and look through the other. */
export type Ledger = PosLedger & AdminLedger

export const createLedger = async (...of: Parameters<typeof open>): Promise<Ledger> => joined(await open(...of))
export const createPostgresLedger = async (...of: Parameters<typeof openPostgres>): Promise<Ledger> =>
  joined(await openPostgres(...of))
export const createEmbeddedLedger = async (...of: Parameters<typeof openEmbedded>): Promise<Ledger> =>
  joined(await openEmbedded(...of))

function joined({ posLedger, adminLedger }: Doors): Ledger {
  const rooms = new Set([...Object.keys(adminLedger), ...Object.keys(posLedger)])
  const both = [...rooms].map((room) => {
    const [pos, admin] = [posLedger[room as keyof PosLedger], adminLedger[room as keyof AdminLedger]] as unknown[]
    return [room, typeof pos === 'object' && typeof admin === 'object' ? { ...pos, ...admin } : (pos ?? admin)]
  })
  return Object.fromEntries(both) as Ledger
}
