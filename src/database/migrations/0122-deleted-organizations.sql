-- An organization that was deleted is of no use to anybody from then on. Its row stays, of this kind, until a job has removed its
-- repositories, and its webhooks have told of the deletion.
alter table accounts drop constraint accounts_kind_check,
  add constraint accounts_kind_check check (kind in ('user', 'organization', 'bot', 'deleted'));
create index accounts_deleted on accounts (id) where kind = 'deleted';
