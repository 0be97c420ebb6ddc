-- Keeps the member whose accounts a sale moved from being forgotten until the end of the transaction.
-- Replies its id; null: nothing was moved, or the member is forgotten. Locks: the member, shared.
create or replace function lock_buyer(p_calculation uuid) returns text
language plpgsql as $$
declare
  v_name text;
  v_member text;
begin
  loop
    select min(a.member_id) into v_name from buyer_accounts(p_calculation) a;
    v_member := lock_member(v_name, null);
    -- A call that was waited for may have renamed the accounts.
    exit when v_name is not distinct from (select min(a.member_id) from buyer_accounts(p_calculation) a);
  end loop;
  return v_member;
end
$$;
