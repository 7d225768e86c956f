-- Branches can be renamed, and people can choose another base: the pull requests themselves say which branches they have. Work of
-- the bot in a repository is done one after the other, so that one pull request is open for each subject.
drop index dependency_pulls_repository_id_ecosystem_directory_target_b_idx;
alter table dependency_pulls drop column branch, drop column target_branch;

-- The directories of an entry for which too many searches were running. They follow when some have ended.
alter table dependency_schedules add column waiting text[] not null default '{}';
