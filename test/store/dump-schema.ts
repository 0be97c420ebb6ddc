import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Sql, sql, type Terms } from '../../store/postgres/connection/sql.js'

const terms: Terms = { effect: 'reads', withinMs: 10_000 }
const root = join(import.meta.dirname, '../../..')
const migrations = join(root, 'store/postgres/schema/migrations')

/** In the sources, for it is committed: a file for each migration. */
export const committedFolder = join(root, 'test/store/schema')

/**
 * Types and tables as text that is the same on every version of Postgres and on PGlite, by the migration that creates them. Not a
 * script to run. A column is not null unless it says so. Left out are indexes that a constraint makes, partitions, whose names hold
 * dates, and the table `migration`.
 */
export async function dumpSchema(database: Sql): Promise<Record<string, string>> {
  const entries = await database.run<{ name: string; definition: string }>(entriesOf, terms)
  const texts = new Map<string, string>()
  for (const file of (await readdir(migrations)).sort()) {
    const script = await readFile(join(migrations, file), 'utf8')
    const names = [...script.matchAll(/^create (?:table|type) (\w+)/gm)].map(([, name]) => name)
    const made = entries.filter(({ name }) => names.includes(name))
    texts.set(file, made.map(({ definition }) => `${definition}\n`).join(''))
  }
  return Object.fromEntries(texts)
}

export async function committedSchema(): Promise<Record<string, string>> {
  const files = (await readdir(committedFolder)).sort()
  const texts = files.map(async (file) => [file, await readFile(join(committedFolder, file), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}

const entriesOf = sql`
  with tables as materialized (
    select oid, relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
  ), parts as materialized (
    select relname, 1 as place, a.attnum as number, concat_ws(' ', a.attname,
        format_type(a.atttypid, a.atttypmod),
        case when a.attcollation = 'pg_catalog."C"'::regcollation then 'collate "C"' end,
        case when not a.attnotnull then 'null' end,
        case when a.attidentity <> '' then 'identity' end,
        'default ' || pg_get_expr(d.adbin, d.adrelid),
        case when a.attstorage = 'e' and a.atttypid = 'bytea'::regtype then 'storage external' end,
        (select string_agg(pg_get_constraintdef(o.oid), ' ' order by o.conname collate "C")
          from pg_constraint o
          where o.conrelid = a.attrelid and o.conkey = array[a.attnum] and o.contype in ('p', 'u', 'f', 'c'))
      ) as definition
    from tables t join pg_attribute a on a.attrelid = t.oid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped
    union all
    select relname, 2, 0, pg_get_constraintdef(o.oid)
    from tables t join pg_constraint o on o.conrelid = t.oid where o.contype in ('p', 'u', 'f', 'c') and cardinality(o.conkey) <> 1
    union all
    select relname, 3, 0, regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE ', '')
    from tables t join pg_index i on i.indrelid = t.oid where not exists (select from pg_constraint o where o.conindid = i.indexrelid and o.contype in ('p', 'u'))
  )
  select relname as name,
    format(E'table %s\n%s', relname, string_agg('  ' || definition, E'\n' order by place, number, definition collate "C")) as definition
  from parts group by relname
  union all
  select typname, format('type %s: %s', typname, string_agg(enumlabel, ', ' order by enumsortorder))
  from pg_type t join pg_enum on enumtypid = t.oid
  where typnamespace = 'public'::regnamespace group by typname
  order by 1`
