-- What members hold, by currency and by the month (UTC) of the last moment before it expires; the month is empty for never.
-- Includes what is pending or held; debt is not subtracted. Ordered by currency and month, never first.
create or replace function report_liability() returns table (currency_id text, expiry_month text, amount bigint)
language sql stable
-- It reads whole tables, for which planning.ts turns the right plans off.
set enable_seqscan = on
set enable_hashjoin = on
as $$
  select s.currency_id, m.name, least(s.amount, 9223372036854775807)::bigint
  from (
    select a.currency_id, date_trunc('month', (l.expires_at - interval '1 microsecond') at time zone 'UTC') as month,
      sum(case when l.expires_at > statement_timestamp() then l.amount else l.held - ended_holds(l, statement_timestamp()) end)
        as amount
    from lot l
    join account a on a.account_id = l.account_id
    where l.expires_at > statement_timestamp() or l.held > ended_holds(l, statement_timestamp())
    group by 1, 2
  ) s
  cross join lateral (select case when s.month < 'infinity' then to_char(s.month, 'YYYY-MM') else '' end as name) m
  order by s.currency_id, m.name collate "C"
$$;
