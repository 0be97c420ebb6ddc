-- Credits an account with what an open code is worth, and closes the code.
-- Locks: the caller holds the code and the account.
create or replace function claim_code(p_by change_context, p_account bigint, p_code reward_code) returns void
language plpgsql as $$
declare
  v_before text := account_snapshot(p_account);
  v_movement movement := add_movement('claimed', 'code:' || encode(p_code.digest, 'hex'), '', p_by.actor);
begin
  perform credit(v_movement, p_account, 'issued', p_code.amount, v_movement.at, p_code.expires_at, true);
  update reward_code c set state = 'claimed' where c.digest = p_code.digest;
  perform audit_accounts(p_by, array[p_account], array[v_before]);
end
$$;
