-- What webhooks send stands in a table of its own, so that all hooks that get an event, and all redeliveries, share one payload.

-- The payloads that were stored stay where they are: the old table keeps them, and its other columns move to a new one.
alter table webhook_deliveries rename to webhook_payloads;
alter table webhook_payloads rename column payload to body;
alter index webhook_deliveries_pkey rename to webhook_payloads_pkey;
alter sequence webhook_deliveries_id_seq rename to webhook_payloads_id_seq;
drop index webhook_deliveries_created, webhook_deliveries_hook, webhook_deliveries_first;

-- owner_id is the account in which it happened, or that owns the hook: owners share the places of deliveries between them.
-- due_at is when a delivery is to be sent, or, once a process has taken it, when another may take it over; null: it was sent.
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  owner_id bigint not null,
  hook_id bigint not null references webhooks on delete cascade,
  payload_id bigint not null,
  guid uuid not null,
  event text not null,
  action text,
  redelivery boolean not null default false,
  attempt integer not null default 1,
  installation_id bigint,
  repository_id bigint,
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

insert into webhook_deliveries (id, owner_id, hook_id, payload_id, guid, event, action, redelivery, attempt, installation_id,
  repository_id, due_at, throttled_at, created_at, delivered_at, duration_ms, status_code, status, url, request_headers,
  response_headers, response_body)
overriding system value
select d.id, coalesce(h.organization_id, r.owner_id, i.account_id, a.owner_id), d.hook_id, d.id, d.guid, d.event, d.action,
  d.redelivery, d.attempt, d.installation_id, d.repository_id, d.due_at, d.throttled_at, d.created_at, d.delivered_at,
  d.duration_ms, d.status_code, d.status, d.url, d.request_headers, d.response_headers, d.response_body
from webhook_payloads d join webhooks h on h.id = d.hook_id
  left join repositories r on r.id = h.repository_id
  left join installations i on i.id = d.installation_id
  left join apps a on a.id = h.app_id;
select setval('webhook_deliveries_id_seq', last_value, is_called) from webhook_payloads_id_seq;

alter table webhook_payloads
  drop column hook_id, drop column guid, drop column event, drop column action, drop column redelivery, drop column attempt,
  drop column installation_id, drop column repository_id, drop column due_at, drop column throttled_at, drop column delivered_at,
  drop column duration_ms, drop column status_code, drop column status, drop column url, drop column request_headers,
  drop column response_headers, drop column response_body;
-- Whether the body names the installation by which an app gets it. Where it doesn't, that is added when the payload is sent.
alter table webhook_payloads add column names_installation boolean not null default true;
alter table webhook_payloads alter column names_installation set default false;

create index webhook_deliveries_due on webhook_deliveries (owner_id, hook_id, due_at) where due_at is not null;
create index webhook_deliveries_hook on webhook_deliveries (hook_id, id desc);
create index webhook_deliveries_created on webhook_deliveries (created_at);
create index webhook_deliveries_payload on webhook_deliveries (payload_id);
create unique index webhook_deliveries_first on webhook_deliveries (hook_id, guid) where not redelivery;
alter table webhook_deliveries add foreign key (payload_id) references webhook_payloads;
