-- Stores members (import_members), all or none, or says what that would change.
--   p_members     as of import_members
--   p_move_cards  loyalty ids of other members move; else card_taken
--   p_dry_run     changes nothing and keeps no request id
-- Replies
--   {"kind":"done","created","changed","unchanged","merged","movedCards","moved"}  moved: as `taken`, of a dry run only, for a stored
--                                                                                  reply has no ids
--   {"kind":"card_taken","cards","taken":[{"place","item","loyaltyId","memberId"}]}  how many, and the first 100; nothing is written
--   {"kind":"no_card","places"}   rows of new members without a loyalty id, from 0; nothing is written
--   or a reply of take_order. Locks: request id, lock_changes.
create or replace function upsert_members(
  p_by change_context, p_order_digest bytea, p_members json, p_move_cards boolean, p_dry_run boolean
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_cards bigint;
  v_taken json;
  v_places json;
  v_counts record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  select count(*), coalesce(json_agg(json_build_object(
      'place', t.place, 'item', t.item, 'loyaltyId', t.loyalty_id, 'memberId', t.member_id
    ) order by t.number) filter (where t.number <= 100), '[]')
  into v_cards, v_taken
  from (select c.*, row_number() over (order by c.place, c.item) as number from taken_cards(p_members) c) t;
  if v_cards > 0 and not p_move_cards then
    return drop_order(p_by, json_build_object('kind', 'card_taken', 'cards', v_cards, 'taken', v_taken));
  end if;
  select json_agg(n.place - 1 order by n.place) into v_places
  from rows from (json_to_recordset(p_members) as (member_id text, loyalty_ids json))
    with ordinality as n (member_id, loyalty_ids, place)
  where n.loyalty_ids is null and not exists (select from member m where m.member_id = n.member_id)
    and not exists (select from merged_member g where g.member_id = n.member_id);
  if v_places is not null then
    return drop_order(p_by, json_build_object('kind', 'no_card', 'places', v_places));
  end if;
  begin
    select i.* into v_counts from import_members(p_by, p_members) i;
    if p_dry_run then
      -- Undoes everything since "begin".
      raise exception 'not to be kept' using errcode = 'LY002';
    end if;
  exception when sqlstate 'LY002' then
  end;
  v_reply := json_build_object(
    'kind', 'done', 'created', v_counts.created, 'changed', v_counts.changed, 'unchanged', v_counts.unchanged,
    'merged', v_counts.merged, 'movedCards', v_cards, 'moved', case when p_dry_run then v_taken else '[]' end
  );
  return case when p_dry_run then drop_order(p_by, v_reply) else keep_order(p_by, v_reply) end;
end
$$;
