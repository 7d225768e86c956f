-- What threads are about. The kind says which column names the subject; an invitation is named by its repository alone. A subject is
-- deleted with what it names, and its threads with it.
create table notification_subjects (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  kind text not null check (kind in ('issue', 'commit', 'invitation')),
  issue_id bigint references issues on delete cascade,
  commit_sha text,
  -- The title of a subject that no other table has.
  title text,
  check ((kind = 'issue') = (issue_id is not null)),
  check ((kind = 'commit') = (commit_sha is not null)),
  check ((kind = 'commit') = (title is not null))
);
create unique index notification_subjects_once on notification_subjects (repository_id, kind, issue_id, commit_sha) nulls not distinct;
create index notification_subjects_issue on notification_subjects (issue_id) where issue_id is not null;

insert into notification_subjects (repository_id, kind, issue_id)
select repository_id, case when issue_id is null then 'invitation' else 'issue' end, issue_id
from (select repository_id, issue_id from notification_threads union select repository_id, issue_id from thread_subscriptions) named;

alter table thread_subscriptions add subject_id bigint;
update thread_subscriptions t set subject_id = s.id from notification_subjects s
where s.repository_id = t.repository_id and coalesce(s.issue_id, 0) = coalesce(t.issue_id, 0);
alter table thread_subscriptions
  alter subject_id set not null,
  add foreign key (subject_id) references notification_subjects on delete cascade,
  drop issue_id;
create unique index thread_subscriptions_subject on thread_subscriptions (subject_id, account_id);

-- Every row changes, so that the indexes are made anew.
drop index notification_threads_subject;
drop index notification_threads_inbox;
drop index notification_threads_unread;
drop index notification_threads_repository;
drop index notification_threads_of_repository;
alter table notification_threads add subject_id bigint;
update notification_threads t set subject_id = s.id from notification_subjects s
where s.repository_id = t.repository_id and coalesce(s.issue_id, 0) = coalesce(t.issue_id, 0);
-- Threads keep their repository beside the subject: the pages of an inbox are found by an index alone, and the threads of a deleted
-- repository are deleted by one statement, which touches each inbox once.
alter table notification_threads
  alter subject_id set not null,
  add foreign key (subject_id) references notification_subjects on delete cascade,
  drop issue_id;
create unique index notification_threads_subject on notification_threads (subject_id, account_id);
create index notification_threads_inbox on notification_threads (account_id, updated_at desc, id desc)
  include (repository_id, unread, reason) where not done;
create index notification_threads_unread on notification_threads (account_id, updated_at desc, id desc)
  include (repository_id, reason) where unread and not done;
create index notification_threads_repository on notification_threads (account_id, repository_id, updated_at desc, id desc)
  include (unread, done, reason);
create index notification_threads_of_repository on notification_threads (repository_id, account_id);
