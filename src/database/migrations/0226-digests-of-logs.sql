-- What a stored log must be, for backups: logs of before this are in none.
alter table workflow_jobs add column log_digest text;
