-- Creates the key of forgotten_digest where there is none. Locks: the caller holds lock_changes.
create or replace function make_forgetting_key() returns void
language plpgsql as $$
declare
  v_random bytea := sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
  );
  v_inner bytea := decode(repeat('36', 64), 'hex');
  v_outer bytea := decode(repeat('5c', 64), 'hex');
begin
  if exists (select from forgetting_key) then
    return;
  end if;
  for at in 0 .. 31 loop
    v_inner := set_byte(v_inner, at, get_byte(v_inner, at) # get_byte(v_random, at));
    v_outer := set_byte(v_outer, at, get_byte(v_outer, at) # get_byte(v_random, at));
  end loop;
  insert into forgetting_key (inner_key, outer_key) values (v_inner, v_outer);
end
$$;
