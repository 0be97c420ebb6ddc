-- Adds a movement without entries. Its time is now: call it after lock_accounts.
--   p_cause  a cause moves value once
-- Replies the movement; all null: the cause has moved value before, so do nothing.
create or replace function add_movement(p_kind movement_kind, p_cause text, p_reason text, p_actor text) returns movement
language plpgsql as $$
declare
  v_movement movement;
begin
  insert into movement (kind, cause, reason, actor) values (p_kind, p_cause, p_reason, p_actor)
  on conflict (cause) do nothing
  returning * into v_movement;
  return v_movement;
end
$$;
