import t from 'tap'
import { StoreFault } from '../../store/fault.js'
import { meaningOfState } from '../../store/postgres/connection/faults.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aMember, aRecord, aSale, aVenue, aWant, eventBody, plenty } from '../support/ledger-builders.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'

t.setTimeout(600_000)

/** Every SQLSTATE of appendix A of the manual of Postgres 15, errors and warnings. */
const listed = `
  00000 01000 01003 01004 01006 01007 01008 0100C 01P01 02000 02001 03000 08000 08001 08003 08004 08006 08007 08P01
  09000 0A000 0B000 0F000 0F001 0L000 0LP01 0P000 0Z000 0Z002 20000 21000 22000 22001 22002 22003 22004 22005 22007
  22008 22009 2200B 2200C 2200D 2200F 2200G 2200H 2200L 2200M 2200N 2200S 2200T 22010 22011 22012 22013 22014 22015
  22016 22018 22019 2201B 2201E 2201F 2201G 2201W 2201X 22021 22022 22023 22024 22025 22026 22027 2202E 2202G 2202H
  22030 22031 22032 22033 22034 22035 22036 22037 22038 22039 2203A 2203B 2203C 2203D 2203E 2203F 2203G 22P01 22P02
  22P03 22P04 22P05 22P06 23000 23001 23502 23503 23505 23514 23P01 24000 25000 25001 25002 25003 25004 25005 25006
  25007 25008 25P01 25P02 25P03 26000 27000 28000 28P01 2B000 2BP01 2D000 2F000 2F002 2F003 2F004 2F005 34000 38000
  38001 38002 38003 38004 39000 39001 39004 39P01 39P02 39P03 3B000 3B001 3D000 3F000 40000 40001 40002 40003 40P01
  42000 42501 42601 42602 42611 42622 42701 42702 42703 42704 42710 42712 42723 42725 42803 42804 42809 42830 42846
  42883 428C9 42939 42P01 42P02 42P03 42P04 42P05 42P06 42P07 42P08 42P09 42P10 42P11 42P12 42P13 42P14 42P15 42P16
  42P17 42P18 42P19 42P20 42P21 42P22 44000 53000 53100 53200 53300 53400 54000 54001 54011 54023 55000 55006 55P02
  55P03 55P04 57000 57014 57P01 57P02 57P03 57P04 57P05 58000 58030 58P01 58P02 72000 F0000 F0001 HV000 HV001 HV002
  HV004 HV005 HV006 HV007 HV008 HV009 HV00A HV00B HV00C HV00D HV00J HV00K HV00L HV00M HV00N HV00P HV00Q HV00R HV010
  HV014 HV021 HV024 HV090 HV091 P0000 P0001 P0002 P0003 P0004 XX000 XX001 XX002`

const states = listed.trim().split(/\s+/)

/** States that are not a mistake of ours. */
const worldly = states.filter((state) => meaningOfState(state) !== 'ours')

const terms = { effect: 'writes', withinMs: plenty } as const

const server = await startPostgres({ settings: { max_connections: '20', max_locks_per_transaction: '10' } })
t.teardown(() => server.stop())

t.test('no state outside our own mistakes is one in the table', (t) => {
  for (const state of [
    ...['53000', '53200', '53400', '57000', '57014', '58000', '58P01', '55000', '55006', 'XX000', 'XX001', 'F0000'],
    ...['40000', '40001', '40P01', '55P03', '72000'],
  ]) {
    t.equal(meaningOfState(state), 'busy', state)
  }
  for (const state of ['53100', '58030', '25006']) t.equal(meaningOfState(state), 'full', state)
  for (const state of ['28000', '28P01', '3D000', '42501', '53300', '57P03', '08001']) {
    t.equal(meaningOfState(state), 'away', state)
  }
  for (const state of ['08006', '57P01', '57P02', '57P04', '57P05']) t.equal(meaningOfState(state), 'broken', state)
  for (const state of ['40003', '08007']) t.equal(meaningOfState(state), 'in_doubt', state)
  for (const state of ['0A000', '26000', '25000', '25P02', '25P03']) t.equal(meaningOfState(state), 'stale', state)
  for (const state of ['22003', '23505', '42601', '42P01', 'P0001', 'ZZ123']) {
    t.equal(meaningOfState(state), 'ours', state)
  }
  t.end()
})

t.test(
  `a state that is no mistake of ours is a StoreFault wherever it is raised, ${worldly.length} of them`,
  async (t) => {
    const url = await server.createDatabase()
    // A read that breaks its connection is repeated for `readMs`.
    const options = { url, connections: 6, expiryS: 1_800, idempotencyS: 86_400, readMs: 150, saleMs: plenty }
    const [member, venue] = [aMember(), aVenue()]
    const before = await createPostgresLedger(options)
    await before.programmes.publishFile({ document: '{}', benefits: '[]', venues: [venue], members: [member] })
    const operator = createPostgresSql(url, 1)
    await raiseEverywhere(operator)
    await before.close()
    const ledger = await createPostgresLedger(options)
    t.teardown(() => Promise.all([ledger.close(), operator.close()]))
    for (const state of worldly) {
      await operator.run(sql`update raising set state = ${state}`, terms)
      const record = aRecord(ledger, { holds: [aWant()] })
      const calls = {
        confirm: ledger.calculations.confirm(record, plenty),
        keepCalculations: ledger.calculations.store([record]),
        recordSale: ledger.sales.record(aSale(record), eventBody),
        findAnswer: ledger.calculations.findAnswer(record.calculationId),
        findMember: ledger.members.lookUp(member.loyaltyIds[0]!),
        findVenue: ledger.venues.lookUp(venue.venueId),
      }
      const ends = await Promise.all(Object.values(calls).map(endOf))
      for (const [at, name] of Object.keys(calls).entries()) {
        t.match(ends[at], name === 'confirm' && state === '55P03' ? /^too_late$/ : /^fault /, `${state} in ${name}`)
      }
      const doubtful = ['broken', 'in_doubt'].includes(meaningOfState(state))
      t.equal(ends[2] === 'fault in_doubt', doubtful, `${state}: a sale that may be stored is in doubt, no other`)
    }
    await operator.run(sql`update raising set state = '22003'`, terms)
    t.equal(
      await endOf(ledger.calculations.findAnswer(aRecord(ledger).calculationId)),
      'error 22003',
      'a mistake of ours stays one',
    )
    await operator.run(sql`update raising set state = null`, terms)
    t.equal((await ledger.members.lookUp(member.loyaltyIds[0]!))?.memberId, member.memberId, 'and the ledger is sound')
  },
)

t.test('a full lock table refuses calls, and they continue when it has room again', async (t) => {
  const url = await server.createDatabase()
  const options = {
    url,
    connections: 2,
    expiryS: 1_800,
    idempotencyS: 86_400,
    readMs: plenty,
    saleMs: plenty,
    hangMs: plenty,
  }
  const ledger = await createPostgresLedger(options)
  const operator = createPostgresSql(url, 1)
  t.teardown(() => Promise.all([ledger.close(), operator.close()]))
  const taking = sql`select count(pg_advisory_lock(n)) from generate_series(1, 1000000) n`
  t.equal(await endOf(operator.run(taking, terms)), 'fault busy', 'the lock table is full')
  const ends = new Set<string>()
  for (let round = 0; round < 20; round += 1) {
    const record = aRecord(ledger, { holds: [aWant(), aWant()] })
    ends.add(await endOf(ledger.calculations.confirm(record, plenty)))
    ends.add(await endOf(ledger.calculations.findAnswer(record.calculationId)))
    ends.add(await endOf(ledger.sales.record(aSale(record), eventBody)))
  }
  t.ok(ends.has('fault busy'), [...ends].join(', '))
  t.same(
    [...ends].filter((end) => !/^(fault busy|confirmed|stored|unknown|recorded|unknown_calculation)$/.test(end)),
    [],
  )
  await operator.run(sql`select pg_advisory_unlock_all()`, terms)
  t.same(await ledger.calculations.confirm(aRecord(ledger, { holds: [aWant()] }), plenty), { kind: 'confirmed' })
})

function endOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    (reply) => (typeof reply === 'object' && reply !== null && 'kind' in reply ? String(reply.kind) : 'no fault'),
    (error: unknown) => {
      if (error instanceof StoreFault) return `fault ${error.kind}`
      return `error ${error instanceof Error && 'code' in error ? error.code : error}`
    },
  )
}

/** Replaces the functions and views of all calls by ones that raise the state in `raising`. */
async function raiseEverywhere(operator: Sql): Promise<void> {
  await operator.transaction(async (transaction) => {
    await transaction.runScript(`
      create table raising (state text);
      insert into raising values (null);
      create function raise_state() returns boolean language plpgsql as $$
      declare v_state text := (select state from raising);
      begin
        if v_state is not null then raise exception 'as asked' using errcode = v_state; end if;
        return true;
      end $$;
      alter table member rename to member_real;
      create view member as select m.* from member_real m where raise_state();
      alter table venue rename to venue_real;
      create view venue as select v.* from venue_real v where raise_state();
      do $do$
      declare v_function record;
      begin
        for v_function in
          select p.oid, p.proname, p.proretset, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result
          from pg_proc p where p.proname in ('confirm_calculation', 'keep_calculations', 'find_answer', 'record_sale')
        loop
          execute format('drop function %s', v_function.oid::regprocedure);
          execute format(
            'create function %I(%s) returns %s language plpgsql as $f$ begin perform raise_state(); end $f$',
            v_function.proname, v_function.arguments, v_function.result
          );
        end loop;
      end $do$`)
  })
}
