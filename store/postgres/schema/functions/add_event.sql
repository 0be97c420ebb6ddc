-- Adds an event, in the transaction of its cause.
--   p_type    such as `tier.changed`
--   p_member  null: of no member
--   p_body    without the member
-- Locks: the caller holds what orders the events of one subject, such as the account or the member.
create or replace function add_event(p_type text, p_member text, p_body json) returns void
language sql as $$
  insert into event (type, member_id, body) values (p_type, p_member, p_body::text)
$$;
