-- The code index: one row for each searchable file of a default branch. The files themselves stay in Git.

create table code_indexes (
  repository_id bigint primary key references repositories on delete cascade,
  branch text not null,
  -- The commit that the rows below are known to show whole; null while the first indexing is under way.
  commit_oid text,
  analyser integer not null,
  files integer not null default 0,
  indexed_at timestamptz not null
);

-- A changed file is a new row, so the order of ids is the order of indexing.
create table code_files (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  size integer not null,
  -- How much a hit in this file counts: longer, generated and bundled files less.
  weight real not null,
  blob_oid bytea not null,
  language text,
  path text not null,
  -- What the file is found by, one lexeme a line: a text takes half the room of a tsvector, and only the index needs that.
  words text not null
);
-- Words are wanted by their index alone. Out of the rows they leave these small, so that thousands can be counted in milliseconds.
alter table code_files alter column words set storage extended;
alter table code_files alter column path set storage main;
alter table code_files set (toast_tuple_target = 128);
-- By a hash, since a path may be longer than an index entry.
create unique index code_files_path on code_files (repository_id, (md5(path)::uuid));
create index code_files_words on code_files using gin ((array_to_tsvector(string_to_array(words, e'\n'))));
