-- Announces lots that have opened or expire soon (announce_lots), the most urgent first.
--   p_max  lots of each kind at most; accounts that another call has locked wait for the next run
-- Replies how many accounts it went through. Locks: accounts by (member_id, currency_id).
create or replace function announce_value(p_max integer) returns integer
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_due bigint[];
  v_account bigint;
  v_count integer := 0;
begin
  v_due := array(
    select l.account_id from lot l where l.awaits_opening and l.opens_at <= v_now order by l.opens_at limit p_max
  ) || array(
    select l.account_id from lot l
    where not l.expiry_announced and l.expires_at < 'infinity' and l.expires_at <= v_now + interval '7 days'
    order by l.expires_at limit p_max
  );
  for v_account in
    select a.account_id
    from (select distinct account_id from unnest(v_due) d (account_id)) d
    join account a on a.account_id = d.account_id
    order by a.member_id, a.currency_id
    for update of a skip locked
  loop
    perform announce_lots(v_account);
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
