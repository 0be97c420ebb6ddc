-- Adds an audit record for each of these accounts.
--   p_before  account_snapshot of each before the change, in the same order
--   p_more    what else is in `after`; null: nothing
-- Locks: the caller holds the accounts.
create or replace function audit_accounts(p_by change_context, p_accounts bigint[], p_before text[], p_more jsonb default null)
returns void
language sql as $$
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  select p_by.actor, p_by.call, p_by.request_id, 'member', a.member_id, n.before,
    coalesce((account_snapshot(a.account_id)::jsonb || p_more)::text, account_snapshot(a.account_id))
  from unnest(p_accounts, p_before) with ordinality n (account_id, before, place)
  join account a on a.account_id = n.account_id
  order by n.place
$$;
