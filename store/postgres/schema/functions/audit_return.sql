-- Adds the audit record of a return; its subject is the sale.
create or replace function audit_return(p_by change_context, p_return sale_return) returns void
language sql as $$
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (
    p_by.actor, p_by.call, p_by.request_id, 'sale', p_return.calculation_id::text, null,
    json_build_object(
      'returnId', p_return.return_id, 'reference', p_return.reference, 'lines', p_return.lines::json, 'refund', p_return.refund,
      'takenBack', p_return.taken_back::json, 'givenBack', p_return.given_back::json
    )::text
  )
$$;
