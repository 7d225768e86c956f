-- Advisories about packages that the server knows. `identifier` is the one that alerts and the API name them by.
create table advisories (
  id bigint generated always as identity primary key,
  identifier text not null unique,
  cve text,
  summary text not null,
  description text not null,
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  classification text not null default 'general' check (classification in ('general', 'malware')),
  cvss_v3 text,
  cvss_v3_score real,
  cvss_v4 text,
  cvss_v4_score real,
  cwes text[] not null default '{}',
  urls text[] not null default '{}',
  published_at timestamptz not null,
  updated_at timestamptz not null,
  withdrawn_at timestamptz
);

-- Versions of a package that an advisory is about: from `introduced` on (or all), before `fixed`, up to `last_affected`; or those of `versions`.
create table advisory_vulnerabilities (
  id bigint generated always as identity primary key,
  advisory_id bigint not null references advisories on delete cascade,
  ecosystem text not null check (ecosystem in ('npm', 'pip', 'go', 'rust', 'maven')),
  package text not null,
  introduced text,
  fixed text,
  last_affected text,
  versions text[]
);
create index advisory_vulnerabilities_advisory on advisory_vulnerabilities (advisory_id);
create index advisory_vulnerabilities_package on advisory_vulnerabilities (ecosystem, package);

-- The files of the operator's folder that were read, so that later only those are read that changed. `identifier` is that of their advisory.
create table advisory_files (
  path text primary key,
  size bigint not null,
  modified_at timestamptz not null,
  identifier text,
  problem text
);
create index advisory_files_identifier on advisory_files (identifier);
