-- Issues below others, in the order in which their parent lists them.
create table sub_issues (
  issue_id bigint primary key references issues on delete cascade,
  parent_id bigint not null references issues on delete cascade,
  position integer not null,
  created_at timestamptz not null,
  check (issue_id <> parent_id)
);
create index sub_issues_parent on sub_issues (parent_id, position, issue_id);

-- Issues that others block.
create table issue_dependencies (
  issue_id bigint not null references issues on delete cascade,
  blocking_id bigint not null references issues on delete cascade,
  created_at timestamptz not null,
  primary key (issue_id, blocking_id),
  check (issue_id <> blocking_id)
);
create index issue_dependencies_blocking on issue_dependencies (blocking_id, issue_id);

-- The events of both name the other issue as their source, any number of times.
drop index issue_events_cross_reference;
create unique index issue_events_cross_reference on issue_events (source_issue_id, issue_id) where event = 'cross-referenced';
create index issue_events_source_issue on issue_events (source_issue_id) where source_issue_id is not null;
