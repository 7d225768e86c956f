-- The vulnerable dependencies of a repository as a subject of notifications: one for all of its alerts.
alter table notification_subjects
  drop constraint notification_subjects_kind_check,
  drop constraint notification_subjects_titled,
  add constraint notification_subjects_kind_check
    check (kind in ('issue', 'commit', 'invitation', 'release', 'check_suite', 'secret_alert', 'dependency_alerts')),
  add constraint notification_subjects_titled
    check ((kind in ('commit', 'check_suite', 'secret_alert', 'dependency_alerts')) = (title is not null));
