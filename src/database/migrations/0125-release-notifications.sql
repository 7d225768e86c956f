-- Releases as subjects of notifications.
alter table notification_subjects
  add release_id bigint references releases on delete cascade,
  drop constraint notification_subjects_kind_check,
  add constraint notification_subjects_kind_check check (kind in ('issue', 'commit', 'invitation', 'release')),
  add constraint notification_subjects_of_release check ((kind = 'release') = (release_id is not null));
drop index notification_subjects_once;
create unique index notification_subjects_once on notification_subjects
  (repository_id, kind, issue_id, commit_sha, release_id) nulls not distinct;
create index notification_subjects_release on notification_subjects (release_id) where release_id is not null;

-- Whom the notes of releases mention.
alter table text_references
  add release_id bigint references releases on delete cascade,
  drop constraint text_references_check,
  add constraint text_references_check check (num_nonnulls(issue_id, commit_sha, release_id) = 1);
drop index text_references_once;
create unique index text_references_once on text_references
  (repository_id, commit_sha, issue_id, comment_id, commit_comment_id, release_id, kind, account_id, team_id, target_issue_id, target_sha)
  nulls not distinct;
create index text_references_release on text_references (release_id) where release_id is not null;
