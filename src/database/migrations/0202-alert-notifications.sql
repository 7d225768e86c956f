-- Alerts of secrets as subjects of notifications. The title is the name of the secret's type.
alter table notification_subjects
  add secret_alert_id bigint references secret_alerts on delete cascade,
  drop constraint notification_subjects_kind_check,
  drop constraint notification_subjects_titled,
  add constraint notification_subjects_kind_check
    check (kind in ('issue', 'commit', 'invitation', 'release', 'check_suite', 'secret_alert')),
  add constraint notification_subjects_of_secret_alert check ((kind = 'secret_alert') = (secret_alert_id is not null)),
  add constraint notification_subjects_titled check ((kind in ('commit', 'check_suite', 'secret_alert')) = (title is not null));
drop index notification_subjects_once;
create unique index notification_subjects_once on notification_subjects
  (repository_id, kind, issue_id, commit_sha, release_id, check_suite_id, secret_alert_id) nulls not distinct;
create index notification_subjects_secret_alert on notification_subjects (secret_alert_id) where secret_alert_id is not null;

alter table notification_threads
  drop constraint notification_threads_reason_check,
  add constraint notification_threads_reason_check check (reason in (
    'approval_requested', 'assign', 'author', 'ci_activity', 'comment', 'invitation', 'manual', 'member_feature_requested', 'mention',
    'review_requested', 'security_alert', 'state_change', 'subscribed', 'team_mention'));
