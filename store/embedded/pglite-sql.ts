import { setImmediate as nextTurn } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { faultFromError } from '../postgres/connection/faults.js'
import { planning, type Sql, type SqlValue, type Statement, type Transaction } from '../postgres/connection/sql.js'
import { unpackTemplate } from './ledger-template.js'

/** Files that it holds open at most. By default it takes every one that the process may have, and leaves none to connections. */
const openFilesMax = 128
const int8 = 20

/**
 * PGlite: Postgres compiled to WebAssembly, in this process, its files in `folder`. One connection: statements run one after
 * the other, so the times of their terms mean nothing here. An acknowledged write survives the death of the process at any
 * moment, for it has reached the kernel by then; it does NOT survive a power loss, for nothing is ever synced to disk.
 */
export async function createPgliteSql(folder: string): Promise<Sql> {
  const isNew = await unpackTemplate(folder)
  const database = await PGlite.create(folder, {
    parsers: { [int8]: Number },
    startParams: [...PGlite.defaultStartParams, '-c', `max_files_per_process=${openFilesMax}`],
  })
  if (isNew) await database.exec('update migration set applied_at = clock_timestamp()')
  for (const [name, value] of Object.entries(planning)) await database.exec(`set ${name} = ${value}`)
  return {
    async run<Row>({ text, values }: Statement) {
      // A statement keeps this thread busy: let the sockets have their turn between two.
      await nextTurn()
      try {
        const { rows } = await database.query<Row>(text, [...values])
        return rows
      } catch (error) {
        throw faultFromError(error, 'writing')
      }
    },
    transaction: (work) =>
      database.transaction((begun) => {
        const transaction: Transaction = {
          run: async <Row>({ text, values }: { text: string; values: readonly SqlValue[] }) =>
            (await begun.query<Row>(text, [...values])).rows,
          runScript: async (script) => {
            await begun.exec(script)
          },
        }
        return work(transaction)
      }),
    close: () => database.close(),
  }
}
