-- When the last backup was complete, for metrics.
alter table installation add column last_backup_at timestamptz;
