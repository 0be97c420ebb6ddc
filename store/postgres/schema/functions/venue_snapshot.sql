-- A venue as audit records show it, JSON; null: there is none.
create or replace function venue_snapshot(p_venue text) returns text
language sql stable as $$
  select '{"baxIds":' || coalesce((
      select json_agg(b.bax_id order by b.bax_id)::text from bax b where b.venue_id = v.venue_id
    ), '[]') || ',"profile":' || v.body || '}'
  from venue v where v.venue_id = p_venue
$$;
