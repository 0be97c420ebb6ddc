-- Delivers events to a webhook once more, whatever its types: after what is pending of the same member.
--   p_events  JSON array of [event id, microseconds of its time]; null: those that failed, the oldest p_max
-- Replies
--   {"kind":"done","events"}  how many; those that are pending anyway count too
--   {"kind":"unknown_webhook"}, {"kind":"disabled_webhook"}, {"kind":"unknown_event","place"} or a reply of take_order, and then nothing is written
-- Locks: request id, webhook.
create or replace function order_redelivery(
  p_by change_context, p_order_digest bytea, p_webhook uuid, p_events json, p_max integer
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_places bigint[];
  v_event event;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform 1 from webhook w where w.webhook_id = p_webhook for update;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_webhook"}');
  end if;
  if exists (select from webhook w where w.webhook_id = p_webhook and w.disabled_at is not null) then
    return drop_order(p_by, '{"kind":"disabled_webhook"}');
  end if;
  if p_events is null then
    v_places := array(
      select d.place from delivery d where d.webhook_id = p_webhook and d.state = 'failed' order by d.place limit p_max
    );
  else
    select array_agg(e.place order by n.number) into v_places
    from json_array_elements(p_events) with ordinality n (named, number)
    left join event e on e.event_id = (n.named ->> 0)::bigint and microseconds(e.at) = (n.named ->> 1)::bigint;
    if array_position(v_places, null) is not null then
      return drop_order(p_by, json_build_object('kind', 'unknown_event', 'place', array_position(v_places, null) - 1));
    end if;
  end if;
  for v_event in
    select e.* from event e where e.place is not null and e.place = any (v_places) order by e.place
  loop
    insert into delivery as d (place, webhook_id, member_id, state)
    values (v_event.place, p_webhook, v_event.member_id, case
      when v_event.member_id is not null and is_pending(p_webhook, v_event.member_id) then 'waiting' else 'due'
    end::delivery_state)
    on conflict (place, webhook_id) do update
    set state = excluded.state, member_id = excluded.member_id, attempts = 0, due_at = excluded.due_at, since = excluded.since
    where d.state in ('delivered', 'failed');
  end loop;
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, after)
  values (p_by.actor, p_by.call, p_by.request_id, 'webhook', p_webhook,
    json_build_object('redelivered', cardinality(v_places))::text);
  return keep_order(p_by, json_build_object('kind', 'done', 'events', cardinality(v_places)));
end
$$;
