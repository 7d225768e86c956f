-- Grows with every change of a repository's files in the index, in the same transaction: what was counted at the same version
-- holds still.
alter table code_indexes add column version bigint not null default 0;
