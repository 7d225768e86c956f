-- The assistant acts as a bot of the server.
alter table apps drop constraint apps_built_in_check,
  add constraint apps_built_in_check
    check (built_in in ('actions', 'code_scanning', 'dependency_bot', 'assistant', 'gh', 'git_credential_manager', 'vscode'));

-- Reviews of pull requests that people requested from the assistant. The rows of finished reviews are what its metrics and its
-- activity are made of, so they stay when their repository is deleted, under its last name.
create table assistant_reviews (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  repository_id bigint not null,
  repository_name text not null,
  issue_id bigint references issues on delete set null,
  requester_id bigint references accounts on delete set null,
  state text not null check (state in ('queued', 'done', 'failed', 'cancelled')),
  -- When the next attempt is due. While a process works on it, when another one may take it over.
  due_at timestamptz,
  attempts integer not null default 0,
  -- The last answer of the server that writes reviews, while attempts remain, or why there is no review.
  problem text,
  model text not null,
  created_at timestamptz not null,
  completed_at timestamptz,
  constraint assistant_reviews_due check ((state = 'queued') = (due_at is not null)),
  constraint assistant_reviews_completed check ((state = 'queued') = (completed_at is null))
);
create index assistant_reviews_due_at on assistant_reviews (due_at) where state = 'queued';
create index assistant_reviews_waiting on assistant_reviews (organization_id) where state = 'queued';
create index assistant_reviews_organization on assistant_reviews (organization_id, completed_at);
create index assistant_reviews_completed_at on assistant_reviews (completed_at);
create index assistant_reviews_issue on assistant_reviews (issue_id);
create index assistant_reviews_requester on assistant_reviews (requester_id, organization_id, created_at);

-- What people used of the assistant, by day and model. It is counted in `billing_days` and `billing_months` too, without them.
create table billing_assistant_days (
  organization_id bigint not null references accounts on delete cascade,
  day date not null,
  rate_id integer not null references billing_rates,
  -- Usage stays when the account is deleted.
  user_id bigint not null,
  model text not null,
  quantity bigint not null,
  primary key (organization_id, day, rate_id, user_id, model)
);
