-- Heads that a pull request had before the present one, and that brought the same changes: the base was merged into them, or they were
-- rebased. Approvals of these aren't stale.
alter table pull_requests add column same_heads text[] not null default '{}';
