-- What issues mean, as vectors: one row for each issue and embedder.

-- Embedders by their identities; rows of vectors name them by small numbers.
create table embedders (
  id smallint generated always as identity primary key,
  identity text not null unique
);

create table issue_vectors (
  issue_id bigint not null references issues on delete cascade,
  embedder_id smallint not null references embedders,
  repository_id bigint not null,
  -- Grows with each write in the order of commits, so that a process can ask for what is new to it.
  version bigint generated always as identity,
  -- Of the text that the vector is of: an unchanged text isn't embedded again.
  text_hash bytea not null,
  -- The signs of the components, one bit each: what candidates are found by.
  code bytea not null,
  -- One signed byte a component; the greatest is 127 or -127, whatever the vector's length was.
  components bytea not null,
  primary key (issue_id, embedder_id)
);
create index issue_vectors_version on issue_vectors (embedder_id, version);
