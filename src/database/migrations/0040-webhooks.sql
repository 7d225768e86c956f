-- Webhooks of organizations, repositories and apps, and what was or will be sent to them.

-- base_url is where the hook's maker reached the server: payloads hold addresses that the receiver's people can follow.
-- made_by_app is the OAuth app whose token made the hook; such an app reaches no other hooks.
-- failures counts failed deliveries in a row; while paused_until lies ahead, deliveries wait.
create table webhooks (
  id bigint generated always as identity primary key,
  organization_id bigint references accounts on delete cascade,
  repository_id bigint references repositories on delete cascade,
  app_id bigint references apps on delete cascade,
  active boolean not null default true,
  events text[] not null,
  url text not null,
  content_type text not null default 'form' check (content_type in ('json', 'form')),
  insecure_ssl boolean not null default false,
  secret_sealed bytea,
  username text,
  password_sealed bytea,
  base_url text not null,
  made_by_app bigint references apps on delete set null,
  failures integer not null default 0,
  paused_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (num_nonnulls(organization_id, repository_id, app_id) = 1)
);
create index webhooks_organization on webhooks (organization_id, id) where organization_id is not null;
create index webhooks_repository on webhooks (repository_id, id) where repository_id is not null;
create unique index webhooks_app on webhooks (app_id) where app_id is not null;

-- due_at is when a delivery is to be sent, or, once a process has taken it, when another may take it over; null: it was sent.
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  hook_id bigint not null references webhooks on delete cascade,
  guid uuid not null,
  event text not null,
  action text,
  redelivery boolean not null default false,
  attempt integer not null default 1,
  installation_id bigint,
  repository_id bigint,
  payload text not null,
  due_at timestamptz,
  throttled_at timestamptz,
  created_at timestamptz not null,
  delivered_at timestamptz,
  duration_ms integer,
  status_code integer,
  status text,
  url text,
  request_headers jsonb,
  response_headers jsonb,
  response_body text
);
create index webhook_deliveries_due on webhook_deliveries (due_at, hook_id) where due_at is not null;
create index webhook_deliveries_hook on webhook_deliveries (hook_id, id desc);
create index webhook_deliveries_created on webhook_deliveries (created_at);
