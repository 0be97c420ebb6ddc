-- Finds a member by its id or by a loyalty id, and keeps it from being forgotten or merged until the end of the transaction.
-- Replies its id; null: there is none. Locks: the member, shared; before calculations and accounts.
create or replace function lock_member(p_member text, p_loyalty_id text) returns text
language sql volatile as $$
  select m.member_id from member m
  where m.member_id = coalesce(
    p_member, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_loyalty_id)
  )
  for key share
$$;
