-- The outbox: what happened, written in the transaction that made it happen.

create table events (
  id bigint generated always as identity primary key,
  kind text not null,
  owner_id bigint,
  repository_id bigint,
  actor_id bigint,
  data jsonb not null,
  created_at timestamptz not null
);
create index events_repository on events (repository_id, id desc) where repository_id is not null;
create index events_owner on events (owner_id, id desc) where owner_id is not null;
create index events_created on events (created_at);
