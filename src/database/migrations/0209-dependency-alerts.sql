-- Vulnerable dependencies of repositories. What of the advisory fits the dependency is kept as it was when it was last compared.
create table dependency_alerts (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  number integer not null,
  advisory_id bigint not null references advisories,
  manifest_path text not null,
  ecosystem text not null,
  package text not null,
  scope text not null,
  relationship text not null,
  vulnerable_version_range text not null,
  first_patched_version text,
  state text not null default 'open' check (state in ('open', 'dismissed', 'fixed', 'auto_dismissed')),
  dismissed_at timestamptz,
  dismissed_by bigint references accounts on delete set null,
  dismissed_reason text,
  dismissed_comment text,
  fixed_at timestamptz,
  auto_dismissed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((state = 'dismissed') = (dismissed_at is not null)),
  check ((state = 'fixed') = (fixed_at is not null)),
  check ((state = 'auto_dismissed') = (auto_dismissed_at is not null)),
  unique (repository_id, number),
  unique (repository_id, manifest_path, ecosystem, package, advisory_id)
);
create index dependency_alerts_advisory on dependency_alerts (advisory_id);
