-- Pull requests in merge queues: the present or last entry of each. `position` is the order within the queue of a branch.
create table merge_queue_entries (
  issue_id bigint primary key references issues on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  base_ref text not null,
  position bigint not null,
  is_jump boolean not null,
  head_sha text not null,
  enqueued_by bigint references accounts on delete set null,
  via_app_id bigint references apps on delete set null,
  enqueued_at timestamptz not null,
  -- The group that the entry is the last of: its branch, the commit that it is made upon, and its own.
  group_ref text,
  group_base_sha text,
  group_head_sha text,
  checks text check (checks in ('pending', 'success', 'failure')),
  requested_at timestamptz,
  passed_at timestamptz,
  -- Who wants the entry removed, which the queue does.
  dequeued_by bigint references accounts on delete set null,
  dequeued_at timestamptz,
  removed_at timestamptz,
  removal_reason text,
  removal_message text,
  check ((group_ref is null) = (checks is null))
);
create index merge_queue_entries_queue on merge_queue_entries (repository_id, base_ref, position) where removed_at is null;
create index merge_queue_entries_enqueued_by on merge_queue_entries (enqueued_by) where enqueued_by is not null;
create index merge_queue_entries_dequeued_by on merge_queue_entries (dequeued_by) where dequeued_by is not null;
create index merge_queue_entries_via_app on merge_queue_entries (via_app_id) where via_app_id is not null;

-- Whether a queue of the repository may have entries, so that events of others need no statement to find out.
alter table repositories add column has_merge_queue boolean not null default false;
