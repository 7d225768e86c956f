-- Budgets as subjects of notifications, in the repository that used most of them. The title is what was told last.
alter table notification_subjects
  drop constraint notification_subjects_kind_check,
  drop constraint notification_subjects_titled,
  add constraint notification_subjects_kind_check
    check (kind in ('issue', 'commit', 'invitation', 'release', 'check_suite', 'secret_alert', 'dependency_alerts', 'budget')),
  add constraint notification_subjects_titled
    check ((kind in ('commit', 'check_suite', 'secret_alert', 'dependency_alerts', 'budget')) = (title is not null));
