-- Stores a venue.
--   p_venues  JSON array of one {venue_id, body, bax_ids}
-- Replies {"kind":"done","created","changed"}, {"kind":"mixed_money","path","currencies"} or a reply of take_order; except for done
-- nothing is written. mixed_money: a limit of the newest programme counts money at other venues, in these currencies.
-- Locks: request id, lock_changes.
create or replace function order_venue(p_by change_context, p_order_digest bytea, p_venues json) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_mixed record;
  v_counts record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  select m.path, array_remove(m.currencies, substring(p_venues -> 0 ->> 'body' from '"currency":"([A-Z]{3})"')) as currencies
  into v_mixed
  from mixed_money((select v.limits::json from programme_version v order by v.version desc limit 1), p_venues) m
  order by m.place limit 1;
  if found then
    return drop_order(p_by, json_build_object('kind', 'mixed_money', 'path', v_mixed.path, 'currencies', v_mixed.currencies));
  end if;
  select c.* into v_counts from change_venues(p_venues, p_by) c;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'created', v_counts.created > 0, 'changed', v_counts.changed > 0
  ));
end
$$;
