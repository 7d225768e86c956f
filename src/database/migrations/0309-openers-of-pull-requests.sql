-- Who opened a pull request: not its author where somebody made it of another one's issue. Nobody approves what they brought themselves.
alter table pull_requests add column opened_by bigint references accounts on delete set null;
update pull_requests p set opened_by = e.actor_id from events e
  where e.kind = 'pull_request.opened' and (e.data ->> 'issue')::bigint = p.issue_id and e.repository_id = p.repository_id;
create index pull_requests_opened_by on pull_requests (opened_by) where opened_by is not null;
