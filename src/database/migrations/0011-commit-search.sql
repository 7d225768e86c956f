-- The commit index: one row for each commit of a default branch.

create table commit_indexes (
  repository_id bigint primary key references repositories on delete cascade,
  branch text not null,
  -- The commit whose history the rows below are known to show whole; null while the first indexing is under way.
  commit_oid text,
  analyser integer not null,
  commits integer not null default 0,
  indexed_at timestamptz not null
);

create table indexed_commits (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  oid bytea not null,
  -- How much a hit in this message counts: longer ones and merges less.
  weight real not null,
  author_date timestamptz not null,
  committer_date timestamptz not null,
  merge boolean not null,
  message text not null,
  -- What the commit is found by, one lexeme a line.
  words text not null
);
create unique index indexed_commits_oid on indexed_commits (repository_id, oid);
create index indexed_commits_words on indexed_commits using gin ((array_to_tsvector(string_to_array(words, e'\n'))));
create index indexed_commits_author_date on indexed_commits (repository_id, author_date);
create index indexed_commits_committer_date on indexed_commits (repository_id, committer_date);
