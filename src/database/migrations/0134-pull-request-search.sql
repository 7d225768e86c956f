-- Pull requests in the search of issues: what conditions on rows compare. What isn't indexed yet are issues.
alter table issue_documents
  add column is_pull_request boolean not null default false,
  add column merged_at timestamptz;

-- Which issues pull requests say they close.
create index text_references_closing on text_references (issue_id, target_issue_id) where closes;
