create or replace function change_view(
  p_by change_context, p_list text, p_name text, p_query text, p_is_shared boolean, p_max integer
) returns json
language plpgsql as $$
begin
  lock table saved_view in share row exclusive mode;
  perform refuse('{"kind":"too_many_views"}') where (
    select count(*) from saved_view v
    where v.list = p_list and v.is_shared = p_is_shared and (v.is_shared or is_same_actor(v.stored_by, p_by.actor))
  ) >= p_max;
  insert into saved_view (view_id, list, name, query, is_shared, stored_by)
  values (p_by.request_id, p_list, p_name, p_query, p_is_shared, p_by.actor);
  perform add_audit(p_by, 'view', v.view_id::text, null, view_snapshot(v)) from saved_view v where v.view_id = p_by.request_id;
  return '{"kind":"done"}';
end
$$;

create or replace function change_view_deletion(p_by change_context, p_view uuid, p_is_admin boolean) returns json
language plpgsql as $$
declare
  v_view saved_view;
begin
  delete from saved_view v
  where v.view_id = p_view and (p_is_admin or is_same_actor(v.stored_by, p_by.actor))
  returning v.* into v_view;
  perform refuse('{"kind":"unknown_view"}') where not found;
  perform add_audit(p_by, 'view', p_view::text, view_snapshot(v_view), null);
  return '{"kind":"done"}';
end
$$;

create or replace function view_snapshot(p_view saved_view) returns text
language sql immutable as $$
  select json_build_object('list', p_view.list, 'name', p_view.name, 'query', p_view.query, 'shared', p_view.is_shared)::text
$$;
