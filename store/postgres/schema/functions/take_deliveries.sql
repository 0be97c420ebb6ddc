-- Takes deliveries that are due, of each webhook those due for longest, so that no other gateway attempts them meanwhile.
--   p_max    deliveries of a webhook at once at most, p_busy among them
--   p_busy   JSON object: how many the caller has of each webhook
--   p_claim  an attempt of which nothing is known after this time counts as lost, and is made again
-- Replies each with its event; attempt: 1, 2 and so on.
create or replace function take_deliveries(p_max integer, p_busy json, p_claim interval)
returns table (
  webhook_id uuid, url text, secret bytea, place bigint, attempt integer,
  event_id bigint, at timestamptz, type text, member_id text, body text
)
language plpgsql as $$
declare
  v_now timestamptz;
begin
  if not exists (select from webhook w where w.disabled_at is null) then
    return;
  end if;
  perform place_events(500);
  perform add_deliveries(500);
  v_now := clock_timestamp();
  return query
  with taken as materialized (
    select t.webhook_id, t.place
    from webhook w cross join lateral (
      select d.webhook_id, d.place from delivery d
      where d.webhook_id = w.webhook_id and d.state = 'due' and d.due_at <= v_now and w.paused_until <= v_now
      order by d.due_at, d.place
      limit greatest(p_max - coalesce((p_busy ->> w.webhook_id::text)::integer, 0), 0)
      for update skip locked
    ) t
  ), claimed as (
    update delivery d set attempts = d.attempts + 1, due_at = v_now + p_claim
    from taken t
    where d.place = t.place and d.webhook_id = t.webhook_id
    returning d.webhook_id, d.place, d.attempts
  )
  select w.webhook_id, w.url, w.secret, c.place, c.attempts, e.event_id, e.at, e.type, e.member_id, e.body
  from claimed c
  join webhook w on w.webhook_id = c.webhook_id
  join event e on e.place is not null and e.place = c.place
  order by c.place;
end
$$;
