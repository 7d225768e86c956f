-- The issue index: one row for each issue. Titles, bodies and comments stay where they are; this is what they are found by.

create table issue_documents (
  issue_id bigint primary key references issues on delete cascade,
  repository_id bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  closed_at timestamptz,
  -- What a hit in each place counts: longer ones less.
  title_weight real not null,
  body_weight real not null,
  comments_weight real not null,
  comments integer not null,
  -- Reactions to the issue itself: all of them, and those that hits are sorted by.
  reactions integer not null,
  plus_one integer not null,
  minus_one integer not null,
  laugh integer not null,
  confused integer not null,
  heart integer not null,
  hooray integer not null,
  -- By which version of the analyser the row was made; 0 asks for a new one.
  analyser smallint not null,
  -- What the issue is found by, one lexeme a line.
  words text not null
);
-- Words are wanted by their index alone. Out of the rows they leave these small, so that thousands can be counted in milliseconds.
alter table issue_documents alter column words set storage extended;
alter table issue_documents set (toast_tuple_target = 128);
create index issue_documents_words on issue_documents using gin ((array_to_tsvector(string_to_array(words, e'\n'))));
-- What a change of the analyser, or an interrupted rebuilding, left to be done.
create index issue_documents_analyser on issue_documents (analyser, issue_id);
