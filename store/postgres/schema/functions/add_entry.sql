-- Adds one entry of a movement, as add_entries does.
-- The caller changes lots and debt by the same amount, and holds the account.
create or replace function add_entry(p_movement movement, p_account bigint, p_against system_account, p_amount bigint) returns void
language plpgsql as $$
begin
  perform add_entries(p_movement, p_against, array[row (p_account, p_amount, null, null)::value_credit]);
end
$$;
