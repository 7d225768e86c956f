-- The repositories for which a setting of an organization holds: all, none, those that aren't public, or those that were selected. Settings
-- refer to a selection, so that all of them keep the same rules.
create table repository_selections (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  mode text not null check (mode in ('all', 'none', 'private', 'selected'))
);
create index repository_selections_organization on repository_selections (organization_id);

create table selected_repositories (
  selection_id bigint not null references repository_selections on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  primary key (selection_id, repository_id)
);
create index selected_repositories_repository on selected_repositories (repository_id);

alter table private_registries add selection_id bigint references repository_selections;
alter table repository_selections add registry_id bigint;
insert into repository_selections (organization_id, mode, registry_id) select organization_id, visibility, id from private_registries;
update private_registries p set selection_id = s.id from repository_selections s where s.registry_id = p.id;
insert into selected_repositories (selection_id, repository_id)
  select p.selection_id, s.repository_id from private_registry_repositories s join private_registries p on p.id = s.registry_id;
alter table repository_selections drop registry_id;
alter table private_registries alter selection_id set not null, drop visibility;
create unique index private_registries_selection on private_registries (selection_id);
drop table private_registry_repositories;

-- Where published releases can't be changed: the organization's rule, and the repositories that want it of themselves.
create table immutable_release_rules (
  organization_id bigint primary key references accounts on delete cascade,
  selection_id bigint not null unique references repository_selections
);
create table immutable_release_repositories (
  repository_id bigint primary key references repositories on delete cascade,
  enabled_at timestamptz not null
);
