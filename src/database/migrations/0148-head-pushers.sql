-- Who pushed the head of a pull request last, or opened it: rules may want somebody else to approve that.
alter table pull_requests add column head_pushed_by bigint references accounts on delete set null;
update pull_requests p set head_pushed_by = i.author_id from issues i where i.id = p.issue_id;
create index pull_requests_head_pushed_by on pull_requests (head_pushed_by) where head_pushed_by is not null;
