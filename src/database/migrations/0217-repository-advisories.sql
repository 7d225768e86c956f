-- Advisories about vulnerabilities of a repository itself: drafts of its maintainers, and what outsiders report. `accepted` says whether a
-- report was; it is null where the advisory began as a draft. One that was published stays readable, also once it is withdrawn.
create table repository_advisories (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  identifier text not null unique,
  state text not null check (state in ('triage', 'draft', 'published', 'closed', 'withdrawn')),
  accepted boolean,
  author_id bigint references accounts on delete set null,
  publisher_id bigint references accounts on delete set null,
  cve text,
  summary text not null,
  description text not null,
  severity text check (severity in ('low', 'medium', 'high', 'critical')),
  cvss_v3 text,
  cvss_v3_score real,
  cvss_v4 text,
  cvss_v4_score real,
  cwes text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  published_at timestamptz,
  closed_at timestamptz,
  withdrawn_at timestamptz,
  check ((state in ('published', 'withdrawn')) = (published_at is not null)),
  check ((state = 'closed') = (closed_at is not null)),
  check ((state = 'withdrawn') = (withdrawn_at is not null))
);
create index repository_advisories_repository on repository_advisories (repository_id, created_at, id);
create index repository_advisories_author on repository_advisories (author_id) where state = 'triage';

-- What of which package is vulnerable, as people wrote it.
create table repository_advisory_vulnerabilities (
  id bigint generated always as identity primary key,
  advisory_id bigint not null references repository_advisories on delete cascade,
  ecosystem text not null check (ecosystem in ('rubygems', 'npm', 'pip', 'maven', 'nuget', 'composer', 'go', 'rust', 'erlang', 'actions',
    'pub', 'other', 'swift')),
  package text,
  vulnerable_version_range text,
  patched_versions text,
  functions text[] not null default '{}'
);
create index repository_advisory_vulnerabilities_advisory on repository_advisory_vulnerabilities (advisory_id);

create table repository_advisory_credits (
  advisory_id bigint not null references repository_advisories on delete cascade,
  user_id bigint not null references accounts on delete cascade,
  type text not null check (type in ('analyst', 'finder', 'reporter', 'coordinator', 'remediation_developer', 'remediation_reviewer',
    'remediation_verifier', 'tool', 'sponsor', 'other')),
  state text not null check (state in ('pending', 'accepted', 'declined')),
  primary key (advisory_id, user_id)
);
create index repository_advisory_credits_user on repository_advisory_credits (user_id);

-- Who may see and edit an advisory beside those who administer the repository.
create table repository_advisory_users (
  advisory_id bigint not null references repository_advisories on delete cascade,
  user_id bigint not null references accounts on delete cascade,
  primary key (advisory_id, user_id)
);
create index repository_advisory_users_user on repository_advisory_users (user_id);

create table repository_advisory_teams (
  advisory_id bigint not null references repository_advisories on delete cascade,
  team_id bigint not null references teams on delete cascade,
  primary key (advisory_id, team_id)
);
create index repository_advisory_teams_team on repository_advisory_teams (team_id);
