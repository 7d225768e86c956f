-- What repositories are found by, apart from their rows, which change for other reasons much more often.

create table repository_words (
  repository_id bigint primary key references repositories on delete cascade,
  analyser integer not null,
  -- The beginning of the README of the default branch.
  readme text not null default '',
  -- One lexeme a line.
  words text not null
);
create index repository_words_words on repository_words using gin ((array_to_tsvector(string_to_array(words, e'\n'))));
