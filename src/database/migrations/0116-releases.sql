-- Releases, and the files that belong to them. Drafts may share the name of a tag; what is published has it alone.
create table releases (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  tag_name text not null,
  target_commitish text not null,
  name text,
  body text,
  draft boolean not null,
  prerelease boolean not null,
  immutable boolean not null default false,
  -- Whether it is the latest: by its author's word, never, or by its date among those of which nothing was said.
  latest text not null check (latest in ('true', 'false', 'legacy')),
  author_id bigint references accounts on delete set null,
  reactions jsonb not null default '{}',
  -- The date of its commit, once that is known.
  created_at timestamptz not null,
  updated_at timestamptz not null,
  published_at timestamptz,
  check (draft or published_at is not null)
);
create unique index releases_tag on releases (repository_id, tag_name) where not draft;
create index releases_list on releases (repository_id, created_at desc, id desc);
create index releases_latest on releases (repository_id, (latest = 'true') desc, created_at desc, id desc)
  where not draft and not prerelease and latest <> 'false';
create index releases_author on releases (author_id);

create table release_assets (
  id bigint generated always as identity primary key,
  release_id bigint not null references releases on delete cascade,
  name text not null,
  label text,
  content_type text not null,
  size bigint not null,
  -- `sha256:` and 64 digits.
  digest text not null,
  -- Its bytes in the store of objects.
  object_key text not null unique,
  uploader_id bigint references accounts on delete set null,
  download_count bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index release_assets_name on release_assets (release_id, name);
create index release_assets_uploader on release_assets (uploader_id);

alter table reactions add release_id bigint references releases on delete cascade;
alter table reactions drop constraint reactions_check;
alter table reactions add constraint reactions_check check (num_nonnulls(issue_id, comment_id, commit_comment_id, release_id) = 1);
create unique index reactions_release on reactions (release_id, user_id, content) where release_id is not null;
