-- Adds the audit record of a change of codes. Its subject is their currency; the codes are not in it.
--   p_before, p_after  JSON or null
create or replace function audit_codes(p_by change_context, p_currency text, p_before json, p_after json) returns void
language sql as $$
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (p_by.actor, p_by.call, p_by.request_id, 'codes', p_currency, p_before::text, p_after::text)
$$;
