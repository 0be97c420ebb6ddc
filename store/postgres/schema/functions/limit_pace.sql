-- What was taken of a counter for some time up to now: since, and how much. Of a counter that is younger since it began, with
-- nothing taken; without any sample that helps: null.
create or replace function limit_pace(p_counter limit_counter, p_ago interval, out since timestamptz, out taken bigint)
language sql stable as $$
  select b.since, greatest(0, p_counter.used + p_counter.late + p_counter.open - b.taken)
  from (
    (
      -- Samples are ten minutes apart, and six hours behind the first day; where they are further apart nothing was taken between.
      select 1 as choice, s.taken,
        greatest(s.at, statement_timestamp() - p_ago - case when p_ago > '1 day' then interval '6 hours' else '10 minutes' end) as since
      from limit_sample s
      where s.counter_id = p_counter.counter_id and s.at <= statement_timestamp() - p_ago
      order by s.at desc limit 1
    )
    union all
    select 2, 0, p_counter.created_at where p_counter.created_at > statement_timestamp() - p_ago
    union all
    (
      select 3, s.taken, s.at from limit_sample s where s.counter_id = p_counter.counter_id order by s.at limit 1
    )
    order by 1 limit 1
  ) b
$$;
