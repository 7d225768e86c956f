-- A filter of neighbouring words for phrases. Rows are made anew by the job that indexes missing issues.

truncate issue_documents;
alter table issue_documents add column pairs bytea not null;
-- It is asked of every candidate for a phrase, so it stays in the row.
alter table issue_documents alter column pairs set storage main;
