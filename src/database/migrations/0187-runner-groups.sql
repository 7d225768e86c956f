-- Which repositories a group of runners is for; null: all. Public ones among them only where the group says so, and where it is restricted to
-- workflows, these alone, as owner/repo/path@ref.
alter table runner_groups
  add column selection_id bigint references repository_selections,
  add column allows_public_repositories boolean not null default false,
  add column restricted_to_workflows boolean not null default false,
  add column selected_workflows text[] not null default '{}';
create unique index runner_groups_selection on runner_groups (selection_id) where selection_id is not null;
update runner_groups set allows_public_repositories = true where is_default;
