-- What an organization lets fine-grained tokens do, and those that wait for its approval.

alter table organizations
  add column fine_grained_tokens_allowed boolean not null default true,
  add column token_approval_required boolean not null default false,
  add column max_token_days integer check (max_token_days between 1 and 3650);

-- Whether the account that a fine-grained token was made for lets it in, and since when.
alter table tokens
  add column access text check (access in ('granted', 'pending', 'denied', 'revoked')),
  add column granted_at timestamptz;
update tokens set access = 'granted', granted_at = created_at where kind = 'fine_grained_pat';
alter table tokens
  add constraint tokens_access check ((kind = 'fine_grained_pat') = (access is not null)),
  add constraint tokens_granted_at check ((granted_at is not null) = coalesce(access = 'granted', false));
create index tokens_granted on tokens (owner_id, granted_at, id) where granted_at is not null;

-- What a token wants to be allowed. What it is allowed already is in tokens, and holds until the request is approved.
create table token_requests (
  id bigint generated always as identity primary key,
  token_id bigint not null unique references tokens on delete cascade,
  organization_id bigint not null references accounts on delete cascade,
  permissions jsonb not null,
  repository_selection text not null check (repository_selection in ('all', 'selected', 'public')),
  reason text,
  created_at timestamptz not null
);
create index token_requests_organization on token_requests (organization_id, created_at, id);

create table token_request_repositories (
  request_id bigint not null references token_requests on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  primary key (request_id, repository_id)
);
create index token_request_repositories_repository on token_request_repositories (repository_id);
