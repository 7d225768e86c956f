-- Which words follow one another in a file, as a Bloom filter: a phrase is looked for in the few files that may hold it, and
-- their blobs alone are read. Apart from the rows of files, which stay small.
create table code_pairs (
  file_id bigint primary key references code_files on delete cascade,
  pairs bytea not null
);
alter table code_pairs alter column pairs set storage external;
