-- The movement of a merge; the first that asks for it adds it.
--   p_from  the member that is gone: the movement's reason
create or replace function merge_of(p_by change_context, p_from text) returns movement
language plpgsql as $$
declare
  v_movement movement := add_movement('merged', 'request:' || p_by.request_id, p_from, p_by.actor);
begin
  if v_movement.movement_id is null then
    select m.* into strict v_movement from movement m where m.cause = 'request:' || p_by.request_id;
  end if;
  return v_movement;
end
$$;
