-- The loyalty ids in an audit record of a member (see member_snapshot), a JSON array. Quotes inside an id are escaped.
create or replace function snapshot_loyalty_ids(p_snapshot text) returns json
language sql immutable as $$
  select (split_part(p_snapshot, ',"profile":', 1) || '}')::json -> 'loyaltyIds'
$$;
