-- The HMAC-SHA256 (RFC 2104) under which a forgotten id is remembered.
--   p_kind  member or loyalty: a member id may equal a loyalty id
create or replace function forgotten_digest(p_key forgetting_key, p_kind text, p_id text) returns bytea
language sql immutable as $$
  select sha256((p_key).outer_key || sha256((p_key).inner_key || convert_to(p_kind || ' ' || p_id, 'UTF8')))
$$;
