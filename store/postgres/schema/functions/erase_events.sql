-- Removes a member's id from events until p_until, or from all where it is not enrolled again, and from deliveries that are not finished, which keep their order under a random name.
create or replace function erase_events(p_member text, p_until timestamptz) returns void
language plpgsql as $$
declare
  v_name text := 'forgotten-' || gen_random_uuid();
  v_until timestamptz := case when exists (select from member m where m.member_id = p_member) then p_until else 'infinity' end;
begin
  update event e set member_id = null where e.member_id = p_member and e.at < v_until;
  update delivery d set member_id = v_name
  from webhook w
  where d.webhook_id = w.webhook_id and d.member_id = p_member and d.state in ('waiting', 'due') and d.since < v_until;
end
$$;
