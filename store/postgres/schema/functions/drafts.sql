-- Stores a draft over the revision that its writer has seen (0: it is new). A record of the audit says who began it and each time another
-- person goes on with it.
--   p_max  drafts at most
-- Replies {"kind":"done"}, {"kind":"too_many_drafts"}, or as of take_draft.
create or replace function change_draft(
  p_by change_context, p_draft uuid, p_name text, p_document text, p_base integer, p_expected integer, p_max integer
) returns json
language plpgsql as $$
declare
  v_known programme_draft;
begin
  if p_expected = 0 then
    lock table programme_draft in share row exclusive mode;
  end if;
  select d.* into v_known from programme_draft d where d.draft_id = p_draft for update;
  if (v_known.name, v_known.document, v_known.base_version) = (p_name, p_document, p_base) then
    return '{"kind":"done"}';
  end if;
  perform refuse(take_draft(p_draft, p_expected));
  perform refuse('{"kind":"too_many_drafts"}') where p_expected = 0 and (select count(*) from programme_draft) >= p_max;
  insert into programme_draft as d (draft_id, name, document, base_version, begun_by, changed_by)
  values (p_draft, p_name, p_document, p_base, p_by.actor, p_by.actor)
  on conflict (draft_id) do update
  set name = p_name, document = p_document, base_version = p_base, revision = d.revision + 1, changed_by = p_by.actor,
    changed_at = clock_timestamp();
  if v_known.changed_by is distinct from p_by.actor then
    perform add_audit(p_by, 'draft', p_draft::text, draft_snapshot(v_known), draft_snapshot(d))
    from programme_draft d where d.draft_id = p_draft;
  end if;
  return '{"kind":"done"}';
end
$$;

create or replace function change_draft_deletion(p_by change_context, p_draft uuid, p_expected integer) returns json
language plpgsql as $$
begin
  perform refuse(take_draft(p_draft, p_expected));
  perform add_audit(p_by, 'draft', p_draft::text, draft_snapshot(d), null) from programme_draft d where d.draft_id = p_draft;
  delete from programme_draft d where d.draft_id = p_draft;
  return '{"kind":"done"}';
end
$$;

-- Locks a draft of a revision (0: there is none). Replies null, {"kind":"unknown_draft"} or {"kind":"draft_changed","revision","by"}.
create or replace function take_draft(p_draft uuid, p_expected integer) returns json
language plpgsql as $$
declare
  v_draft programme_draft;
begin
  select d.* into v_draft from programme_draft d where d.draft_id = p_draft for update;
  return case
    when coalesce(v_draft.revision, 0) = p_expected then null
    when v_draft.draft_id is null then '{"kind":"unknown_draft"}'::json
    else json_build_object('kind', 'draft_changed', 'revision', v_draft.revision, 'by', v_draft.changed_by)
  end;
end
$$;

create or replace function draft_snapshot(p_draft programme_draft) returns text
language sql immutable as $$
  select case when p_draft.draft_id is not null then json_build_object(
    'name', p_draft.name, 'baseVersion', p_draft.base_version, 'revision', p_draft.revision
  )::text end
$$;
