-- The stored answer of a calculation. A confirmed calculation whose answer was given here can no longer be withdrawn.
--   p_idempotency_s  how long an answer is given again, in seconds
--   kind    stored    digest and packed are set
--           outlived  older than p_idempotency_s, or its body is dropped
--           unknown   not stored
create or replace function find_answer(
  p_calculation uuid, p_idempotency_s integer, out kind text, out digest bytea, out packed bytea
)
language plpgsql as $$
declare
  v_calculation calculation;
begin
  kind := 'unknown';
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation;
  if not found then
    return;
  end if;
  kind := 'outlived';
  if v_calculation.answered_at <= clock_timestamp() - make_interval(secs => p_idempotency_s) then
    return;
  end if;
  select b.digest, b.packed into digest, packed from calculation_body b
  where b.day = v_calculation.body_day and b.calculation_id = p_calculation;
  if not found then
    -- Its body was dropped, or it was withdrawn between the two reads.
    if not exists (select from calculation c where c.calculation_id = p_calculation) then
      kind := 'unknown';
    end if;
    return;
  end if;
  kind := 'stored';
  if v_calculation.confirmed and not v_calculation.replayed then
    update calculation c set replayed = true where c.calculation_id = p_calculation;
    if not found then
      kind := 'unknown';
      digest := null;
      packed := null;
    end if;
  end if;
end
$$;
