-- The cause of an imported row. The first `/` ends the currency, so no two rows share a cause.
create or replace function import_cause(p_currency text, p_reference text) returns text
language sql immutable as $$
  select 'import:' || replace(replace(p_currency, '%', '%25'), '/', '%2F') || '/' || p_reference
$$;
