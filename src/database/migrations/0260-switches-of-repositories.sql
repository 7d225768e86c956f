-- Whether a repository has pull requests, and who may open them.
alter table repositories
  add column has_pull_requests boolean not null default true,
  add column pull_request_creation_policy text not null default 'all'
    check (pull_request_creation_policy in ('all', 'collaborators_only')),
  -- Whether the organization requires signed-off commits. It is a copy, so that neither commits nor replies need to read the organization.
  add column organization_requires_signoff boolean not null default false;

update repositories r set organization_requires_signoff = true
from organizations o where o.account_id = r.owner_id and o.web_commit_signoff_required;

create function copy_signoff_to_repositories() returns trigger language plpgsql as $$
begin
  update repositories set organization_requires_signoff = new.web_commit_signoff_required where owner_id = new.account_id;
  return null;
end $$;
create trigger organizations_signoff after update of web_commit_signoff_required on organizations
  for each row when (old.web_commit_signoff_required <> new.web_commit_signoff_required)
  execute function copy_signoff_to_repositories();

-- The organization's row is locked, so that a change of its setting at the same time isn't missed. While a backup is restored, the
-- organization may be missing: then the value of the backup stays.
create function set_signoff_of_repository() returns trigger language plpgsql as $$
declare
  is_required boolean;
begin
  select web_commit_signoff_required into is_required from organizations where account_id = new.owner_id for share;
  new.organization_requires_signoff := coalesce(is_required, tg_op = 'INSERT' and new.organization_requires_signoff);
  return new;
end $$;
create trigger repositories_signoff before insert or update of owner_id on repositories
  for each row execute function set_signoff_of_repository();

-- The older name of a setting: the two said different things.
update repositories set squash_merge_commit_title = 'PR_TITLE' where use_squash_pr_title_as_default;
alter table repositories drop column use_squash_pr_title_as_default;
