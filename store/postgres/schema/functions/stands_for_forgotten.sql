-- Whether an id is a name that stands for a forgotten one in documents: forgotten-UUID.
create or replace function stands_for_forgotten(p_id text) returns boolean
language sql immutable as $$
  select p_id ~ '^forgotten-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
$$;
