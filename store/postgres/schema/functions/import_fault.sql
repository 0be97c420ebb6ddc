-- What is wrong with an import, before accounts are locked.
--   p_rows, p_now                      of order_import
--   p_members, p_currencies, p_causes  of each row, in order
-- Replies {"kind":"unknown_member" | "unknown_currency" | "past_expiry" | "already_imported","place"} of the
-- first row with one of these; null: nothing.
create or replace function import_fault(
  p_rows json, p_now timestamptz, p_members text[], p_currencies text[], p_causes text[]
) returns json
language sql volatile as $$
  select json_build_object('kind', f.kind, 'place', f.place)
  from (
    select 1 as rank, 'unknown_member' as kind, min(n.place)::integer - 1 as place
    from unnest(p_members) with ordinality n (id, place)
    where not exists (select from member m where m.member_id = n.id)
    union all
    select 2, 'unknown_currency', min(n.place)::integer - 1
    from unnest(p_currencies) with ordinality n (id, place)
    where not exists (select from value_currency k where k.currency_id = n.id)
    union all
    select 3, 'past_expiry', min(r.place)::integer - 1
    from rows from (json_to_recordset(p_rows) as (expires_at timestamptz)) with ordinality as r (expires_at, place)
    where r.expires_at <= p_now
    union all
    select 4, 'already_imported', first_imported(p_causes)
  ) f
  where f.place is not null
  order by f.place, f.rank
  limit 1
$$;
