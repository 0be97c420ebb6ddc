-- A recorded return as the reply of its call; times in milliseconds, recordedAtUs in microseconds. `lines` as of sale_return.
create or replace function return_summary(p_return sale_return) returns json
language sql stable as $$
  select json_build_object(
    'kind', 'done', 'returnId', p_return.return_id, 'calculationId', p_return.calculation_id, 'reference', p_return.reference,
    'lines', p_return.lines::json, 'refund', p_return.refund, 'keptRefund', p_return.kept_refund,
    'takenBack', p_return.taken_back::json, 'givenBack', p_return.given_back::json, 'occurredAt', milliseconds(p_return.occurred_at),
    'recordedAt', milliseconds(p_return.recorded_at), 'recordedAtUs', microseconds(p_return.recorded_at), 'actor', p_return.actor
  )
$$;
