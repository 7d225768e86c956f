-- Rulesets of organizations about repositories themselves: their names and visibility, and who may create, transfer and delete them.
alter table rulesets drop constraint rulesets_target_check;
alter table rulesets add constraint rulesets_target_check check (target in ('branch', 'tag', 'push', 'repository'));
alter table rulesets add constraint rulesets_of_organizations check (target <> 'repository' or organization_id is not null);

-- What rules said of changes of repositories themselves. These belong to the organization, since a repository may not have been created, or
-- may have been deleted or transferred: subject_id is its id then, and refers to nothing.
alter table rule_suites alter column repository_id drop not null;
alter table rule_suites alter column ref drop not null;
alter table rule_suites add column organization_id bigint references accounts on delete cascade;
alter table rule_suites add column subject_id bigint;
alter table rule_suites add column subject_name text;
alter table rule_suites add column change text check (change in ('create', 'update', 'transfer', 'delete'));
alter table rule_suites add constraint rule_suites_subject check (case when organization_id is null
  then repository_id is not null and ref is not null and num_nonnulls(subject_id, subject_name, change) = 0
  else num_nonnulls(repository_id, ref, before_sha, after_sha) = 0 and num_nonnulls(subject_name, change) = 2 end);
create index rule_suites_organization on rule_suites (organization_id, id) where organization_id is not null;
create index rule_suites_subject on rule_suites (subject_id, id) where subject_id is not null;
