-- What a repository's default branch is written in: bytes by language, as counted at a commit.
create table repository_languages (
  repository_id bigint primary key references repositories on delete cascade,
  commit_oid text not null,
  bytes jsonb not null
);
