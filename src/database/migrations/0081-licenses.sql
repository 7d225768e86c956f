-- Which licence the files of a repository's default branch are under: the public API's key of it, or `other`.

alter table repositories add column license text;

-- What is told of a branch is told anew where an older version of the detector looked at it, or none did. A branch that doesn't
-- exist has no commit, and nothing to tell of.
alter table repository_languages add column detector integer;
alter table repository_languages alter column commit_oid drop not null;
