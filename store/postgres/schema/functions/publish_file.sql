-- Publishes the file of LOYALTY_PROGRAM at start; gateways that start at once publish it once. Published is into an empty ledger, or when
-- the file differs from the one that a start published last: so other publications and roll-backs outlive a restart.
--   p_only_empty  publish only into an empty ledger: the sample programme
--   because       ledger_empty, file_changed: published; not_empty, file_unchanged, file_in_force: not; faulty: it has faults
--   faults        as of publication_faults; null unless faulty
--   version       the version in force afterwards; published_by: who published it
-- Locks: lock_changes.
create or replace function publish_file(
  p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json,
  p_only_empty boolean,
  out version integer, out published boolean, out because text, out published_by text, out faults json
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
  if because in ('ledger_empty', 'file_changed') then
    faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues));
  end if;
  if json_array_length(faults) > 0 then
    because := 'faulty';
  end if;
  published := because in ('ledger_empty', 'file_changed');
  version := v_newest.version;
  published_by := v_newest.published_by;
  if published then
    published_by := 'start';
    version := add_programme(
      p_digest, p_document, p_benefits, p_venues, p_members, p_currencies, p_limits, row('start', 'start', null)::change_context, null
    );
  end if;
  if because not in ('not_empty', 'faulty') then
    insert into programme_file as f (content_digest) values (p_digest)
    on conflict (id) do update set content_digest = excluded.content_digest, taken_at = excluded.taken_at
    where f.content_digest <> excluded.content_digest;
  end if;
end
$$;
