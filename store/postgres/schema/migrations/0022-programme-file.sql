-- LOYALTY_PROGRAM counts in an empty ledger, and when the file itself has changed since one was last published from it: what was
-- published or rolled back otherwise outlives a restart.

-- The file that was last published, or found in force, at a start.
create table programme_file (
  id integer primary key default 1 check (id = 1),
  -- SHA-256 of its content in canonical form, as in programme_version.
  content_digest bytea not null,
  taken_at timestamptz not null default clock_timestamp()
);

insert into programme_file (content_digest)
select v.content_digest from programme_version v where v.published_by = 'start' order by v.version desc limit 1;

-- Publishes a file at start; gateways that start at once publish it once.
--   p_only_empty  only into an empty ledger: the sample programme
--   because       ledger_empty or file_changed: published; not_empty, file_unchanged or file_in_force: not
--   version       the one in force then, and who published it
create function publish_file(
  p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, p_only_empty boolean,
  out version integer, out published boolean, out because text, out published_by text
)
language plpgsql as $$
declare
  v_newest programme_version;
begin
  perform lock_changes();
  select v.* into v_newest from programme_version v order by v.version desc limit 1;
  because := case
      when v_newest.version is null then 'ledger_empty'
      when p_only_empty then 'not_empty'
      when p_digest = (select f.content_digest from programme_file f) then 'file_unchanged'
      when p_digest = v_newest.content_digest then 'file_in_force'
      else 'file_changed'
    end;
  published := because in ('ledger_empty', 'file_changed');
  version := v_newest.version;
  published_by := v_newest.published_by;
  if published then
    published_by := 'start';
    version := add_programme(
      p_digest, p_document, p_benefits, p_venues, p_members, row('start', 'start', null)::change_context, null
    );
  end if;
  if because <> 'not_empty' then
    insert into programme_file as f (content_digest) values (p_digest)
    on conflict (id) do update set content_digest = excluded.content_digest, taken_at = excluded.taken_at
    where f.content_digest <> excluded.content_digest;
  end if;
end
$$;

-- For gateways of the release before, by the same rule.
create or replace function publish_programme(
  p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, out version integer, out published boolean
)
language sql as $$
  select f.version, f.published from publish_file(p_digest, p_document, p_benefits, p_venues, p_members, false) f
$$;
