-- What is stored of a code. Its key is in the database, so a dump without that table reveals no short code.
--   p_code  SHA-256 of the code, hex: the code itself never reaches the database
create or replace function code_digest(p_key forgetting_key, p_code text) returns bytea
language sql immutable as $$
  select forgotten_digest(p_key, 'code', p_code)
$$;
