-- Stores a venue.
--   p_venues  JSON array of one {venue_id, body, bax_ids}
-- Replies {"kind":"done","created","changed"} or a reply of take_order. Locks: request id, lock_changes.
create or replace function order_venue(p_by change_context, p_order_digest bytea, p_venues json) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_counts record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select c.* into v_counts from change_venues(p_venues, p_by) c;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'created', v_counts.created > 0, 'changed', v_counts.changed > 0
  ));
end
$$;
