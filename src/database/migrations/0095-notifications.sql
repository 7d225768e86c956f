-- The inboxes of people. A subject is an issue, or, where issue_id is null, the invitation into the repository.

-- Who participates in a subject, and who ignores or muted it.
create table thread_subscriptions (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  issue_id bigint references issues on delete cascade,
  state text not null check (state in ('subscribed', 'ignored', 'muted')),
  -- The latest cause of participation; null where there was none.
  reason text check (reason in (
    'approval_requested', 'assign', 'author', 'ci_activity', 'comment', 'invitation', 'manual', 'member_feature_requested', 'mention',
    'review_requested', 'state_change', 'subscribed', 'team_mention')),
  created_at timestamptz not null
);
create unique index thread_subscriptions_subject on thread_subscriptions (issue_id, account_id, repository_id) nulls not distinct;
create index thread_subscriptions_account on thread_subscriptions (account_id);
create index thread_subscriptions_repository on thread_subscriptions (repository_id);

create table notification_threads (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  issue_id bigint references issues on delete cascade,
  reason text not null check (reason in (
    'approval_requested', 'assign', 'author', 'ci_activity', 'comment', 'invitation', 'manual', 'member_feature_requested', 'mention',
    'review_requested', 'state_change', 'subscribed', 'team_mention')),
  -- The latest comment, which may have been deleted.
  comment_id bigint,
  -- The latest event that the account was notified of.
  event_id bigint not null,
  unread boolean not null default true,
  done boolean not null default false,
  updated_at timestamptz not null,
  last_read_at timestamptz
);
create unique index notification_threads_subject on notification_threads (issue_id, account_id, repository_id) nulls not distinct;
-- A page deep in a long inbox is read from the index alone.
create index notification_threads_inbox on notification_threads (account_id, updated_at desc, id desc)
  include (repository_id, unread, reason) where not done;
create index notification_threads_unread on notification_threads (account_id, updated_at desc, id desc)
  include (repository_id, reason) where unread and not done;
create index notification_threads_repository on notification_threads (account_id, repository_id, updated_at desc, id desc)
  include (unread, done, reason);
create index notification_threads_of_repository on notification_threads (repository_id, account_id);

-- When the inbox of an account changed last, to the second, later with each change: what polls are answered from.
create table notification_inboxes (
  account_id bigint primary key references accounts on delete cascade,
  changed_at timestamptz not null
);

-- Threads are deleted together with their subjects, by cascade; the trigger touches their inboxes.
create function touch_inboxes_of_removed_threads() returns trigger language plpgsql as $$
begin
  update notification_inboxes inbox
  set changed_at = greatest(date_trunc('second', statement_timestamp()), inbox.changed_at + interval '1 second')
  where inbox.account_id in (select account_id from removed);
  return null;
end $$;
create trigger notification_threads_removed after delete on notification_threads
  referencing old table as removed for each statement execute function touch_inboxes_of_removed_threads();
