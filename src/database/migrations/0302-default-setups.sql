-- Default setups: analyses of code that the server runs for a repository, by analysers that its operator names.
create table default_setups (
  repository_id bigint not null references repositories on delete cascade,
  product text not null check (product in ('code_scanning', 'code_quality')),
  -- Null: the languages of the default branch that have an analyser.
  languages text[],
  query_suite text not null check (query_suite in ('default', 'extended')),
  threat_model text not null check (threat_model in ('remote', 'remote_and_local')),
  runner_type text not null check (runner_type in ('standard', 'labeled')),
  runner_label text,
  -- The user for whom weekly analyses run.
  actor_id bigint references accounts on delete set null,
  next_run_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (repository_id, product),
  check ((runner_type = 'labeled') = (runner_label is not null))
);
create index default_setups_next_run on default_setups (next_run_at);
create index default_setups_actor on default_setups (actor_id) where actor_id is not null;
