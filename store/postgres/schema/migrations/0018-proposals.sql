-- Programmes that wait for another person to publish or decline them.

alter type change_kind add value 'proposal';

create table programme_proposal (
  -- The request id with which it was proposed.
  proposal_id uuid primary key,
  -- The newest version then; 0: there was none.
  base_version integer not null,
  -- As in programme_version.
  content_digest bytea not null,
  document text not null,
  note text not null,
  -- Name of the token or the person: somebody else must approve it.
  proposed_by text not null,
  proposed_at timestamptz not null default clock_timestamp(),
  state text not null default 'open' check (state in ('open', 'approved', 'declined')),
  -- Null while it is open.
  decided_by text,
  decided_at timestamptz,
  -- Why it was declined.
  reason text not null default '',
  -- What it became; null unless approved.
  version integer,
  -- The order of a list.
  constraint programme_proposal_age unique (proposed_at, proposal_id)
);
