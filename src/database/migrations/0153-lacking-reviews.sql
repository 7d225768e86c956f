-- Whether rules on its base want reviews that an open pull request lacks, while nobody wants changes: what searches ask. Null: it wasn't
-- judged yet.
alter table pull_requests add column lacks_reviews boolean;
update pull_requests p set lacks_reviews = false from issues i where i.id = p.issue_id and i.state = 'closed';
create index pull_requests_unjudged on pull_requests (issue_id) where lacks_reviews is null;
