-- Erases a forgotten member a second time, when calculations that were on their way have arrived, and deletes the row of `erasure`. The
-- last row of a request completes its forgetting.
--   p_venue_limits  as of erase_member. Locks: forgetting, erasure, calculations, counters, accounts, sales.
create or replace function complete_erasure(p_request uuid, p_member text, p_venue_limits text[]) returns void
language plpgsql as $$
declare
  v_erasure erasure;
begin
  perform 1 from forgetting f where f.request_id = p_request for update;
  select e.* into v_erasure from erasure e where e.request_id = p_request and e.member_id = p_member for update;
  if not found then
    return;
  end if;
  -- Later records may be those of a new member with the same card.
  perform erase_member(
    v_erasure.member_id, v_erasure.loyalty_ids, v_erasure.asked_at + interval '1 minute', p_venue_limits
  );
  perform erase_changes(v_erasure.loyalty_ids);
  delete from erasure e where e.request_id = p_request and e.member_id = p_member;
  update forgetting f set completed_at = clock_timestamp()
  where f.request_id = p_request and not exists (select from erasure e where e.request_id = p_request);
end
$$;
