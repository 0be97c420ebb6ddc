-- Publishes a programme if the newest version is p_expected (0: none).
-- Replies
--   {"kind":"done","version","published"}   published false: this content is the newest already
--   {"kind":"version_mismatch","current"}, {"kind":"faulty","faults"} as of publication_faults
create or replace function change_publication(
  p_by change_context, p_expected integer, p_content_digest bytea,
  p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json, p_experiments json,
  p_digests json
) returns json
language plpgsql as $$
declare
  v_newest programme_version;
  v_faults json;
begin
  perform lock_changes();
  v_newest := expect_newest(p_expected);
  if v_newest.content_digest = p_content_digest and v_newest.rolled_back_to is null then
    return json_build_object('kind', 'done', 'version', v_newest.version, 'published', false);
  end if;
  v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues), p_experiments);
  perform refuse(json_build_object('kind', 'faulty', 'faults', v_faults)) where json_array_length(v_faults) > 0;
  return json_build_object(
    'kind', 'done', 'published', true,
    'version', add_programme(
      p_content_digest, p_document, p_benefits, p_venues, p_members, p_currencies, p_limits, p_experiments, p_digests, p_by, null
    )
  );
end
$$;

-- Publishes the benefits of an earlier version again; venues, members and currencies stay as they are. Replies as change_publication, or
-- {"kind":"unknown_version"}; faulty: an experiment would change, or venues have come since for which it has money_faults.
create or replace function change_roll_back(p_by change_context, p_version integer, p_expected integer)
returns json
language plpgsql as $$
declare
  v_newest programme_version;
  v_wanted programme_version;
  v_faults json;
begin
  perform lock_changes();
  v_newest := expect_newest(p_expected);
  select v.* into v_wanted from programme_version v where v.version = p_version;
  perform refuse('{"kind":"unknown_version"}') where not found;
  if v_wanted.benefits = v_newest.benefits then
    return json_build_object('kind', 'done', 'version', v_newest.version, 'published', false);
  end if;
  v_faults := publication_faults('[]', v_wanted.limits::json, '[]', v_wanted.experiments::json);
  perform refuse(json_build_object('kind', 'faulty', 'faults', v_faults)) where json_array_length(v_faults) > 0;
  return json_build_object(
    'kind', 'done', 'published', true,
    'version', add_programme(
      v_wanted.content_digest, v_wanted.document, v_wanted.benefits, '[]', '[]', '[]', v_wanted.limits::json,
      v_wanted.experiments::json, digests_at(v_wanted.version), p_by, v_wanted.version
    )
  );
end
$$;

-- The newest version; refuses {"kind":"version_mismatch","current"} where that is not p_expected (0: none).
create or replace function expect_newest(p_expected integer) returns programme_version
language plpgsql as $$
declare
  v_newest programme_version;
begin
  select v.* into v_newest from programme_version v order by v.version desc limit 1;
  perform refuse(json_build_object('kind', 'version_mismatch', 'current', coalesce(v_newest.version, 0)))
  where coalesce(v_newest.version, 0) <> p_expected;
  return v_newest;
end
$$;

-- Publishes the file of LOYALTY_PROGRAM at start, once for all gateways: into an empty ledger, or when it differs from the one that a
-- start published last, so that other publications and roll-backs outlive a restart.
--   p_only_empty  publish only into an empty ledger: the sample programme
--   because       ledger_empty, file_changed: published; not_empty, file_unchanged, file_in_force: not; faulty: with faults
--   version       the version in force afterwards, and its publisher
create or replace function publish_file(
  p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json, p_experiments json,
  p_digests json, p_only_empty boolean,
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
    faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues), p_experiments);
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
      p_digest, p_document, p_benefits, p_venues, p_members, p_currencies, p_limits, p_experiments, p_digests,
      row('start', 'start', null)::change_context, null
    );
  end if;
  if because not in ('not_empty', 'faulty') then
    insert into programme_file as f (content_digest) values (p_digest)
    on conflict (id) do update set content_digest = excluded.content_digest, taken_at = excluded.taken_at
    where f.content_digest <> excluded.content_digest;
  end if;
end
$$;

create or replace function publication_faults(p_currencies json, p_limits json, p_venues json, p_experiments json) returns json
language sql stable as $$
  select coalesce(json_agg(f.fault order by f.list, f.place), '[]')
  from (
    select 1 as list, e.place, e.fault
    from json_array_elements(fixed_faults(p_currencies, p_limits)) with ordinality e (fault, place)
    union all
    select 2, e.place, e.fault from json_array_elements(experiment_faults(p_experiments)) with ordinality e (fault, place)
    union all
    select 3, e.place, e.fault from json_array_elements(money_faults(p_limits, p_venues)) with ordinality e (fault, place)
  ) f
$$;

create or replace function money_faults(p_limits json, p_venues json) returns json
language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'path', x.path,
      'expected', format(
        'no amount, since the benefit is open at venues of several currencies (%s)', array_to_string(x.currencies, ', ')
      ),
      'received', '"amount"'
    ) order by x.place), '[]')
  from mixed_money(p_limits, p_venues) x
$$;

-- Changes of a programme to parts that are fixed once published: a JSON array of {path, expected, received}, in the order of the
-- document, as its p_currencies (store_currencies) and p_limits (programme_version.limits) are.
create or replace function fixed_faults(p_currencies json, p_limits json) returns json
language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'path', f.path, 'expected', f.expected || ', as published before', 'received', f.received
    ) order by f.list, f.place, f.field), '[]')
  from (
    select 1 as list, c.place, 0 as field, format('currencies[%s].scale', c.place - 1) as path, k.scale::text as expected,
      c.scale::text as received
    from rows from (json_to_recordset(p_currencies) as (currency_id text, scale integer))
      with ordinality as c (currency_id, scale, place)
    join value_currency k on k.currency_id = c.currency_id
    where k.scale <> c.scale
    union all
    select 2, r.place, f.field, format('earning[%s].%s', r.place, f.name), f.expected, f.received
    from json_to_recordset(p_currencies) as c (currency_id text, rules json)
    cross join json_to_recordset(c.rules) as r (place integer, rule_id text, give bigint, per text, every bigint)
    join value_rule k on k.rule_id = r.rule_id
    cross join lateral (values
      (1, 'currencyId', k.currency_id::text, c.currency_id),
      (2, 'give', k.give::text, r.give::text),
      (3, 'per', concat_ws(' ', k.per, k.every), concat_ws(' ', r.per, r.every))
    ) as f (field, name, expected, received)
    where f.expected <> f.received
    union all
    select 3, l.place, 0, l.path, to_json(k.counts)::text, to_json(l.counts)::text
    from rows from (json_to_recordset(p_limits) as (path text, limit_id text, counts text))
      with ordinality as l (path, limit_id, counts, place)
    join published_limit k on k.limit_id = l.limit_id
    where k.counts <> l.counts
  ) f
$$;

-- Limits of money whose benefits are open at venues of several currencies: p_venues (store_venues) and stored ones. A body is
-- searched as text: its strings have no bare quotes, and not all of them can be read in SQL.
create or replace function mixed_money(p_limits json, p_venues json)
returns table (place bigint, path text, currencies text[])
language sql stable as $$
  with money as materialized (
    select m.path, m.venue_ids, m.place
    from rows from (json_to_recordset(p_limits) as (path text, counts text, venue_ids text[]))
      with ordinality as m (path, counts, venue_ids, place)
    where m.counts = 'amount'
  ), named as materialized (
    select v.venue_id, v.body from json_to_recordset(p_venues) as v (venue_id text, body text)
  ), open as (
    select n.venue_id, n.body from named n
    union all
    select v.venue_id, v.body from venue v
    where exists (select from money) and not exists (select from named n where n.venue_id = v.venue_id)
  ), known as materialized (
    select o.venue_id, substring(o.body from '"currency":"([A-Z]{3})"') as currency from open o where exists (select from money)
  )
  select m.place, m.path, array_agg(distinct k.currency order by k.currency)
  from money m
  join known k on m.venue_ids is null or k.venue_id = any(m.venue_ids)
  group by m.path, m.place
  having count(distinct k.currency) > 1
  order by m.place
$$;

-- Stores a programme as the next version, with its venues and members, a change and audit records. The caller holds lock_changes.
--   p_digest          SHA-256 of the document in canonical form
--   p_venues          as of store_venues, of which changed_venues are stored; a roll back changes none
--   p_members         as of enrol_members
--   p_currencies      as of store_currencies and store_exchanges; a roll back changes none
--   p_limits          as of programme_version.limits
--   p_experiments     as of programme_version.experiments
--   p_rolled_back_to  the version whose benefits this one repeats; null: a new document
create or replace function add_programme(
  p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json, p_experiments json,
  p_digests json, p_by change_context, p_rolled_back_to integer
) returns integer
language plpgsql as $$
declare
  v_newest integer := (select max(v.version) from programme_version v);
  v_version integer := coalesce(v_newest, 0) + 1;
  v_changed json := changed_venues(p_venues);
  v_bax_ids text[] := array(
    select x.bax_id from json_to_recordset(v_changed) as v (venue_id text) join bax x on x.venue_id = v.venue_id
  );
begin
  insert into programme_version (version, content_digest, document, benefits, limits, experiments, published_by, rolled_back_to, venues)
  values (
    v_version, p_digest, p_document, p_benefits, p_limits::text, p_experiments::text, p_by.actor, p_rolled_back_to,
    coalesce((select v.venues from programme_version v where v.version = p_rolled_back_to), venue_digests(p_venues))
  );
  insert into benefit_change (benefit_id, version, digest)
  select coalesce(n.key, o.key), v_version, n.value
  from json_each_text(p_digests) n full join json_each_text(digests_at(v_newest)) o on o.key = n.key
  where n.value is distinct from o.value;
  insert into change (kind, id) values ('programme', v_version::text);
  perform add_audit(
    p_by, 'programme', v_version::text,
    case when v_newest is not null then json_build_object('version', v_newest)::text end,
    json_build_object('version', v_version, 'digest', encode(p_digest, 'hex'), 'rolledBackTo', p_rolled_back_to)::text
  );
  perform apply_venues(v_changed, p_by);
  perform apply_venues(missing_bax_ids(p_venues, v_bax_ids), p_by);
  perform enrol_members(p_members, p_by);
  -- Limits that were published before stay: fixed_faults refuses others.
  insert into published_limit (limit_id, counts)
  select l.limit_id, l.counts from json_to_recordset(p_limits) as l (limit_id text, counts text)
  on conflict (limit_id) do nothing;
  perform store_currencies(p_currencies);
  perform store_tiers(p_benefits);
  perform store_experiments(p_experiments);
  if p_rolled_back_to is null then
    perform store_exchanges(p_currencies);
  end if;
  return v_version;
end
$$;

create or replace function digests_at(p_version integer) returns json
language sql stable as $$
  select coalesce(json_object_agg(c.benefit_id, c.digest) filter (where c.digest is not null), '{}')
  from (
    select distinct on (b.benefit_id) b.benefit_id, b.digest from benefit_change b
    where b.version <= p_version
    order by b.benefit_id, b.version desc
  ) c
$$;

-- The venues of a programme that lack one of its baxIds which a publication has taken from another venue, to which UpsertVenue had given
-- it: as they are stored, with it.
--   p_before  the baxIds that the changed venues had
create or replace function missing_bax_ids(p_venues json, p_before text[]) returns json
language sql stable as $$
  with missing as materialized (
    select v.venue_id, array_agg(b.bax_id) as bax_ids
    from json_to_recordset(p_venues) as v (venue_id text, bax_ids json), json_array_elements_text(v.bax_ids) b (bax_id)
    where b.bax_id = any (p_before) and not exists (select from bax x where x.bax_id = b.bax_id)
    group by v.venue_id
  )
  select coalesce(json_agg(json_build_object(
      'venue_id', s.venue_id, 'body', s.body,
      'bax_ids', array(select x.bax_id from bax x where x.venue_id = s.venue_id union all select unnest(m.bax_ids))
    )), '[]')
  from missing m
  join venue s on s.venue_id = m.venue_id
$$;

-- Stores currencies with the rules that give them.
--   p_currencies  JSON array of {currency_id, name, scale, rules: [{place, rule_id, give, per, every, terms}], terms}; terms as in
--                 `value_rule` and `value_currency`
create or replace function store_currencies(p_currencies json) returns void
language sql as $$
  insert into value_rule as k (rule_id, currency_id, give, per, every, terms)
  select r.rule_id, c.currency_id, r.give, r.per, r.every, coalesce(r.terms::text, '{}')
  from json_to_recordset(p_currencies) as c (currency_id text, rules json)
  cross join json_to_recordset(c.rules) as r (rule_id text, give bigint, per text, every bigint, terms json)
  order by r.rule_id
  on conflict (rule_id) do update set terms = excluded.terms where k.terms <> excluded.terms;

  insert into value_currency as k (currency_id, name, scale, terms)
  select c.currency_id, c.name, c.scale, coalesce(c.terms::text, '{}')
  from json_to_recordset(p_currencies) as c (currency_id text, name text, scale integer, terms json)
  order by c.currency_id
  on conflict (currency_id) do update set name = excluded.name, terms = excluded.terms
  where (k.name, k.terms) <> (excluded.name, excluded.terms)
$$;

create or replace function store_exchanges(p_currencies json) returns void
language plpgsql as $$
begin
  delete from value_exchange;
  insert into value_exchange (from_currency_id, to_currency_id, exchange_id, from_amount, to_amount, valid_days)
  select c.currency_id, e.to_currency_id, e.exchange_id, e.from_amount, e.to_amount, e.valid_days
  from json_to_recordset(p_currencies) as c (currency_id text, exchanges json),
    json_to_recordset(c.exchanges)
      as e (exchange_id text, from_amount bigint, to_currency_id text, to_amount bigint, valid_days integer);
end
$$;

-- Replaces the tiers of a programme. p_benefits: as of programme_version, an array, or an object that may have `tiers`.
create or replace function store_tiers(p_benefits text) returns void
language plpgsql as $$
begin
  delete from value_tier;
  if json_typeof(p_benefits::json) = 'object' then
    insert into value_tier (tier_id, rank, currency_id, amount, window_months, keep_months)
    select t."tierId", t.rank, t."currencyId", t.amount, t."windowMonths", t."keepMonths"
    from json_to_recordset(p_benefits::json -> 'tiers')
      as t ("tierId" text, rank integer, "currencyId" text, amount bigint, "windowMonths" integer, "keepMonths" integer);
  end if;
end
$$;
