import { type Sql, sql, type Terms } from '../connection/sql.js'

/** Waited for like a write, for a server that plans on a cold disk may be silent for longer than a look-up waits; the server ends it then. */
const terms: Terms = { effect: 'writes', withinMs: 30_000 }

/**
 * Runs the statements of baskets and sales on every connection and rolls back: without this the first calls wait 5 to 40 ms for planning. One
 * statement a connection, so that one which breaks in the middle leaves no row; the identity of `limit_counter` goes on by one.
 */
export async function warmUp(database: Sql): Promise<void> {
  await database.runOnEach?.(salesAndBaskets, terms)
}

/**
 * Five calculations: the second supersedes the first (journal), the fourth the third (ledger), with the only unit of a limit, of which the
 * fifth is then short. Sales of the fourth, twice, of the superseded third and of the fifth, which is not there.
 */
const salesAndBaskets = sql`
  do $warm_up$
  declare
    v_ids uuid[] := array(select gen_random_uuid() from generate_series(1, 5));
    v_holds json := json_build_array(
      json_build_object('limit_id', 'warm-up', 'subject', v_ids[1], 'period', '', 'units', 1, 'maximum', 1)
    );
    v_records json[];
    v_record json;
  begin
    select array_agg(json_build_object(
      'calculation_id', i.id, 'supersedes_calculation_id', case i.place when 2 then v_ids[1] when 4 then v_ids[3] end,
      'net_before', 100, 'net_after', 90, 'loyalty_discount_total', 10, 'answered_at', clock_timestamp(),
      'programme_version', 1, 'status', 'applied', 'optimal', true, 'gap', 0, 'venue_id', 'warm-up', 'bax_id', 'warm-up',
      'cash_register_id', 'warm-up', 'channel', 'pos', 'currency', 'EUR', 'requested_at', '2026-01-01T12:00:00Z',
      'loyalty_id', 'warm-up', 'member_id', 'warm-up'
    ) order by i.place)
    into v_records
    from unnest(v_ids) with ordinality i (id, place);
    perform keep_calculations(
      json_build_array(v_records[1], v_records[2]), array['', '']::bytea[], array['', '']::bytea[], array['', '']::bytea[],
      array['', '']::bytea[], 60, null
    );
    foreach v_record in array v_records[3:5] loop
      perform confirm_within(v_record, '', '', '', '', v_holds, 60, 60, clock_timestamp(), 60000, null);
    end loop;
    perform find_answer(v_ids[4], 60);
    perform record_sales((
      select json_agg(json_build_object('sale', json_build_object(
        'calculation_id', v_ids[s.place], 'status', s.status, 'paid_total', 90, 'loyalty_discount_total', 10, 'digest', '', 'body', '',
        'loyalty_id_sent', false, 'currency', 'EUR', 'channel', 'pos', 'occurred_at', '2026-01-01T12:00:00Z'
      )) order by s.place, s.status)
      from (values (4, 'applied'), (4, 'applied'), (3, 'failed'), (5, 'cancelled')) s (place, status)
    ), 60);
    raise exception 'warmed up' using errcode = 'LY003';
  exception when sqlstate 'LY003' then
    null;
  end
  $warm_up$`
