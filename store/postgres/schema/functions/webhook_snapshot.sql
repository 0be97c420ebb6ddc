-- A webhook as audit records show it, JSON. Its secret is not in it.
create or replace function webhook_snapshot(p_webhook webhook) returns text
language sql stable as $$
  select json_build_object('url', p_webhook.url, 'types', p_webhook.types)::text
$$;
