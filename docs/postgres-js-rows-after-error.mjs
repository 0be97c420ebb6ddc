// Reproduction for postgres-js-rows-after-error.md: DATABASE_URL=postgres://... node docs/postgres-js-rows-after-error.mjs
import postgres from 'postgres'

const sql = postgres(process.env.DATABASE_URL, { max: 1, onnotice() {} })

// The server sends two rows, then the third one fails.
const failed = await sql`select 6 / (3 - n) as n from generate_series(1, 5) n`.catch((error) => error)
console.log('first statement:', failed.code, failed.message)

const rows = await sql`select 'mine' as n`
console.log('second statement: count', rows.count, 'length', rows.length, 'rows', rows)
const [row] = rows
console.log('const [row] =', row)

await sql.end()
process.exitCode = rows.length === 1 && row?.n === 'mine' ? 0 : 1
