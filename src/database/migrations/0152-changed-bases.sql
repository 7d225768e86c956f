-- When a pull request got another base: what was approved before is another change.
alter table pull_requests add column base_changed_at timestamptz;
