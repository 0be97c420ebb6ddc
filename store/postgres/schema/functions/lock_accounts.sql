-- Locks the accounts of these members and currencies, creates those that are missing, releases what expired calculations hold of them,
-- and writes what has expired (expire_lots). The account of a merged member is that of the member that it was merged into.
--   p_members, p_currencies  of each account; the same length, in any order, repeats allowed
-- Replies the accounts. One whose member was forgotten while we waited for it is not among them.
-- Locks: accounts by (member_id, currency_id); where a member was merged while we waited for its account, then the one that has its value.
create or replace function lock_accounts(p_members text[], p_currencies text[]) returns setof account
language plpgsql as $$
begin
  return query select a.* from unnest(locked_accounts(p_members, p_currencies)) a;
end
$$;
