-- An app may have several suites of a commit: workflows have one each, for each event, since they don't know of each other's names.
alter table check_suites add column key text not null default '';
drop index check_suites_commit;
create unique index check_suites_commit on check_suites (repository_id, head_sha, app_id, key);
