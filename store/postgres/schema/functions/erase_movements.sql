-- Removes reasons and import references from the movements of an account. A reference stays used (erased_cause).
-- Locks: the caller holds the account.
create or replace function erase_movements(p_account bigint) returns void
language plpgsql as $$
begin
  perform make_forgetting_key();
  update movement m
  set reason = '', cause = case when m.kind = 'imported' then erased_cause(k, m.cause) else m.cause end
  from forgetting_key k, entry e
  where e.account_id = p_account and m.movement_id = e.movement_id and (m.reason <> '' or m.kind = 'imported');
end
$$;
