-- The loyalty ids in an audit record of a member (see member_snapshot), a JSON array; null: the record is of an account. Quotes inside
-- an id are escaped.
create or replace function snapshot_loyalty_ids(p_snapshot text) returns json
language sql immutable as $$
  select case when strpos(p_snapshot, ',"profile":') > 0 then
    (split_part(p_snapshot, ',"profile":', 1) || '}')::json -> 'loyaltyIds'
  end
$$;
