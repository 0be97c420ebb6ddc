-- Adds the event of an account.
--   p_body  without the currency
-- Locks: the caller holds the account.
create or replace function add_value_event(p_type text, p_account bigint, p_body jsonb) returns void
language sql as $$
  insert into event (type, member_id, body)
  select p_type, a.member_id, (jsonb_build_object('currencyId', a.currency_id) || p_body)::text
  from account a where a.account_id = p_account
$$;
