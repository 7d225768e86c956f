-- Imports of a repository with its issues from a server of the public API, so that an interrupted one goes on where it was.
create table repository_imports (
  id bigint generated always as identity primary key,
  repository_id bigint not null unique references repositories on delete cascade,
  -- The root of the source's API, and the repository's id there, which stays when it is renamed.
  api text not null,
  source_id bigint not null,
  -- Whether the repository gets its issues switched on at the end.
  has_issues boolean not null,
  phase text not null check (phase in ('labels', 'milestones', 'issues', 'comments', 'missing_comments', 'done')),
  -- The address of the page to read next; null for the first one of the phase.
  next_page text,
  started_at timestamptz not null,
  finished_at timestamptz,
  check ((phase = 'done') = (finished_at is not null))
);

-- What the source's issues and comments became, while the import runs.
create table repository_import_items (
  import_id bigint not null references repository_imports on delete cascade,
  kind text not null check (kind in ('issue', 'comment')),
  source_id bigint not null,
  own_id bigint not null,
  -- Of an issue: how many of the comments that the source counts didn't come yet.
  missing_comments integer not null default 0,
  primary key (import_id, kind, source_id)
);
create index repository_import_items_own on repository_import_items (import_id, own_id) where kind = 'issue';
create index repository_import_items_missing on repository_import_items (import_id, own_id) where kind = 'issue' and missing_comments > 0;
