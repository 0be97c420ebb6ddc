-- Removes loyalty ids from the change feed. An empty id means every member: a cache that has not read so far drops them all.
-- Locks: the rows of the feed.
create or replace function erase_changes(p_loyalty_ids text[]) returns void
language sql
-- Sessions turn sequential scans off (planning.ts), but the feed is short and has no index on id.
set enable_seqscan = on
as $$
  update change c set id = '' where c.kind = 'member' and c.id = any (p_loyalty_ids)
$$;
