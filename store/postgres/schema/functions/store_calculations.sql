-- Inserts calculations with their bodies in the order of their ids; ids that are stored already stay as they are.
--   p_records    JSON array of rows of `calculation`, each id once; the four arrays run parallel to it
--   p_confirmed  whether they come through confirm_within: their expiry counts from now, else from answered_at
--   p_expiry_s   seconds until they expire
-- A merged member is stored as the one that it was merged into. Replies the ids that are new.
create or replace function store_calculations(
  p_records json, p_digests bytea[], p_packed bytea[], p_inputs bytea[], p_explanations bytea[],
  p_confirmed boolean, p_expiry_s integer
) returns uuid[]
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_day date := (v_now at time zone 'UTC')::date;
  v_stored uuid[];
begin
  with stored as (
    insert into calculation (
      calculation_id, supersedes_calculation_id, net_before, net_after, loyalty_discount_total, answered_at, expires_at,
      programme_version, body_day, status, optimal, gap, confirmed, venue_id, bax_id, cash_register_id, channel, currency,
      requested_at, reason, loyalty_id, member_id, earning, spending, carried,
      gave
    )
    select r.calculation_id, r.supersedes_calculation_id, r.net_before, r.net_after, r.loyalty_discount_total, r.answered_at,
      case when p_confirmed then v_now else r.answered_at end + make_interval(secs => p_expiry_s),
      r.programme_version, v_day, r.status, r.optimal, coalesce(r.gap, 0), p_confirmed, r.venue_id, r.bax_id, r.cash_register_id, r.channel,
      r.currency, r.requested_at, r.reason, r.loyalty_id,
      coalesce((select g.into_id from merged_member g where g.member_id = r.member_id), r.member_id), r.earning, r.spending, coalesce(r.carried, 0),
      r.gave
    from json_populate_recordset(null::calculation, p_records) r
    order by r.calculation_id
    on conflict do nothing
    returning calculation_id
  )
  select coalesce(array_agg(calculation_id), '{}') into v_stored from stored;

  insert into calculation_body (day, calculation_id, digest, packed, inputs, explanation)
  select v_day, b.*
  from rows from (
    json_to_recordset(p_records) as (calculation_id uuid),
    unnest(p_digests), unnest(p_packed), unnest(p_inputs), unnest(p_explanations)
  ) as b (calculation_id, digest, packed, inputs, explanation)
  where b.calculation_id = any (v_stored);
  return v_stored;
end
$$;
