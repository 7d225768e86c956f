-- Repositories with texts whose mentions aren't among `text_references` yet: those written before that table, and those that came from
-- another server or an archive. A background job reads them, and removes the row at the end.
create table unread_texts (
  repository_id bigint primary key references repositories on delete cascade,
  -- What was read: issues up to this number, and after all of them comments up to this id.
  issue_number integer not null default 0,
  comment_id bigint not null default 0
);
insert into unread_texts (repository_id)
select id from repositories r where exists (select from issues i where i.repository_id = r.id);

-- The issues of a repository in which somebody is mentioned.
drop index text_references_account;
create index text_references_account on text_references (account_id, repository_id, issue_id) where account_id is not null;
