-- Who pushed the commit of a suite, where a push asked for it: they are told when it fails.
alter table check_suites add pushed_by bigint references accounts on delete set null;
create index check_suites_pushed_by on check_suites (pushed_by) where pushed_by is not null;

-- Check suites as subjects of notifications. The title is what was told last.
alter table notification_subjects
  add check_suite_id bigint references check_suites on delete cascade,
  drop constraint notification_subjects_kind_check,
  drop constraint notification_subjects_check2,
  add constraint notification_subjects_kind_check check (kind in ('issue', 'commit', 'invitation', 'release', 'check_suite')),
  add constraint notification_subjects_of_check_suite check ((kind = 'check_suite') = (check_suite_id is not null)),
  add constraint notification_subjects_titled check ((kind in ('commit', 'check_suite')) = (title is not null));
drop index notification_subjects_once;
create unique index notification_subjects_once on notification_subjects
  (repository_id, kind, issue_id, commit_sha, release_id, check_suite_id) nulls not distinct;
create index notification_subjects_check_suite on notification_subjects (check_suite_id) where check_suite_id is not null;
