-- Advisories of repositories as subjects of notifications: what outsiders report.
alter table notification_subjects
  add repository_advisory_id bigint references repository_advisories on delete cascade,
  drop constraint notification_subjects_kind_check,
  add constraint notification_subjects_kind_check check (kind in ('issue', 'commit', 'invitation', 'release', 'check_suite', 'secret_alert',
    'dependency_alerts', 'budget', 'repository_advisory')),
  add constraint notification_subjects_of_repository_advisory
    check ((kind = 'repository_advisory') = (repository_advisory_id is not null));
drop index notification_subjects_once;
create unique index notification_subjects_once on notification_subjects
  (repository_id, kind, issue_id, commit_sha, release_id, check_suite_id, secret_alert_id, repository_advisory_id) nulls not distinct;
create index notification_subjects_repository_advisory on notification_subjects (repository_advisory_id)
  where repository_advisory_id is not null;
