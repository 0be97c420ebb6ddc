-- What members hold, by currency and by the month (UTC) of the last moment before it expires; the month is empty for never.
-- Includes what is pending or held; debt is not subtracted. Ordered by currency and month, never first.
create or replace function report_liability() returns table (currency_id text, expiry_month text, amount bigint)
language sql stable
-- It reads whole tables, for which planning.ts turns the right plans off.
set enable_seqscan = on
set enable_hashjoin = on
as $$
  select a.currency_id, s.month, least(sum(s.amount), 9223372036854775807)::bigint
  from (
    select l.account_id, case when l.expires_at < 'infinity'
        then to_char((l.expires_at - interval '1 microsecond') at time zone 'UTC', 'YYYY-MM') else '' end as month,
      sum(case when l.expires_at > statement_timestamp() then l.amount else l.held end) as amount
    from lot l
    where l.expires_at > statement_timestamp() or l.held > 0
    group by 1, 2
  ) s
  join account a on a.account_id = s.account_id
  group by a.currency_id, s.month
  order by a.currency_id, s.month collate "C"
$$;
