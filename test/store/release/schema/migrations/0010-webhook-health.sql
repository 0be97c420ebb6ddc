-- How webhooks take what they are sent.

-- It answered 410: it is sent nothing more.
alter table webhook add column disabled_at timestamptz;
-- The first failed attempt since the last delivery. Null: there is none.
alter table webhook add column failing_since timestamptz;
-- Nothing is sent before: it asked for a pause (Retry-After).
alter table webhook add column paused_until timestamptz not null default '-infinity';

-- Webhooks that were deleted and may still have deliveries.
create table removed_webhook (
  webhook_id uuid primary key
);
