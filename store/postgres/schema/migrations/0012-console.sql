-- Who is signed in to the console, so that every gateway process can serve it.

create table console_session (
  -- SHA-256 of an id that only a browser, or a printed link, has.
  digest text collate "C" primary key,
  -- A ticket begins one session; it is none itself.
  is_ticket boolean not null,
  role text not null,
  -- As in audit records.
  name text not null,
  -- The OpenID provider that signed in; null: a token did.
  issuer text,
  ends_at timestamptz not null
);
create index console_session_end on console_session (ends_at);
