-- The venues of a programme that lack one of its baxIds which a publication has taken from another venue, as they are stored, with it.
-- UpsertVenue had given it to that one.
--   p_venues  as of store_venues, and so the reply
--   p_before  the baxIds that the changed venues had
create or replace function missing_bax_ids(p_venues json, p_before text[]) returns json
language sql stable as $$
  with missing as materialized (
    select v.venue_id, array_agg(b.bax_id) as bax_ids
    from json_to_recordset(p_venues) as v (venue_id text, bax_ids json), json_array_elements_text(v.bax_ids) b (bax_id)
    where b.bax_id = any (p_before) and not exists (select from bax x where x.bax_id = b.bax_id)
    group by v.venue_id
  )
  select coalesce(json_agg(json_build_object(
      'venue_id', s.venue_id, 'body', s.body,
      'bax_ids', array(select x.bax_id from bax x where x.venue_id = s.venue_id union all select unnest(m.bax_ids))
    )), '[]')
  from missing m
  join venue s on s.venue_id = m.venue_id
$$;
