-- Gives each webhook that is not disabled the deliveries of the events behind its place, of those of its types.
--   p_max  events for a webhook at most; webhooks that another call has locked wait for the next run
-- Locks: webhooks.
create or replace function add_deliveries(p_max integer) returns void
language plpgsql as $$
declare
  v_webhook webhook;
  v_until bigint;
begin
  for v_webhook in
    select w.* from webhook w where w.place < last_event_place() and w.disabled_at is null order by w.webhook_id for update skip locked
  loop
    v_until := least(v_webhook.place + p_max, last_event_place());
    insert into delivery (place, webhook_id, member_id, state)
    select e.place, v_webhook.webhook_id, e.member_id, case
      when e.member_id is null then 'due'
      when row_number() over (partition by e.member_id order by e.place) > 1 then 'waiting'
      when is_pending(v_webhook.webhook_id, e.member_id) then 'waiting'
      else 'due'
    end::delivery_state
    from event e
    where e.place is not null and e.place > v_webhook.place and e.place <= v_until
      and (v_webhook.types = '{}' or e.type = any (v_webhook.types))
    on conflict do nothing;
    update webhook w set place = v_until where w.webhook_id = v_webhook.webhook_id;
  end loop;
end
$$;
