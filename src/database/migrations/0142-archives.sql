-- The reviews of a repository in their order, as archives list them.
drop index reviews_repository;
create index reviews_repository on reviews (repository_id, submitted_at, id);
