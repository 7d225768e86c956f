-- Rules on refs ask for the results of tools at a commit, wherever they were brought for.
create index code_scanning_analyses_commit on code_scanning_analyses (repository_id, commit_sha);
-- What is found in the test merge of a pull request also holds for its head: null for analyses that are about no pull request.
alter table code_scanning_analyses add column pull_head_sha text;
-- While a file waits, what it says of its commit isn't known.
create index code_scanning_uploads_pending on code_scanning_uploads (repository_id, commit_sha) where state = 'pending';
