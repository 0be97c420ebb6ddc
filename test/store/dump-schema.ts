import { type Sql, sql, type Terms } from '../../store/postgres/connection/sql.js'

const terms: Terms = { effect: 'reads', withinMs: 10_000 }

interface Entry {
  readonly definition: string
}

/**
 * Everything the migrations made, as text that is the same on every version of Postgres and on PGlite: types, tables with their
 * columns, constraints and indexes. Not a script to run; partitions, whose names hold dates, are left out.
 */
export async function dumpSchema(database: Sql): Promise<string> {
  const entries: Entry[] = []
  for (const statement of [types, columns, constraints, indexes]) {
    entries.push(...(await database.run<Entry>(statement, terms)))
  }
  return `${entries.map(({ definition }) => definition).join('\n')}\n`
}

const types = sql`
  select format('type %s: %s', t.typname, string_agg(e.enumlabel, ', ' order by e.enumsortorder)) as definition
  from pg_type t join pg_enum e on e.enumtypid = t.oid
  where t.typnamespace = 'public'::regnamespace
  group by t.typname order by t.typname`

const columns = sql`
  select format('column %s.%s: %s', c.relname, a.attname, concat_ws(' ',
      format_type(a.atttypid, a.atttypmod),
      case when a.attcollation = 'pg_catalog."C"'::regcollation then 'collate "C"' end,
      case when a.attnotnull then 'not null' end,
      case when a.attidentity <> '' then 'identity' end,
      'default ' || pg_get_expr(d.adbin, d.adrelid),
      case when a.attstorage = 'e' and a.atttypid = 'bytea'::regtype then 'storage external' end
    )) as definition
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname collate "C", a.attnum`

const constraints = sql`
  select format('constraint %s on %s: %s', o.conname, c.relname, pg_get_constraintdef(o.oid)) as definition
  from pg_constraint o join pg_class c on c.oid = o.conrelid
  where c.relnamespace = 'public'::regnamespace and not c.relispartition and o.contype in ('p', 'u', 'f', 'c')
  order by c.relname collate "C", o.conname collate "C"`

const indexes = sql`
  select format('index: %s', pg_get_indexdef(i.indexrelid)) as definition
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
  where c.relnamespace = 'public'::regnamespace and not c.relispartition
  order by x.relname collate "C"`
