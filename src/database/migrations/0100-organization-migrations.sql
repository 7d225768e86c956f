-- Organizations have migrations, too: the tables are those of any account.
alter table user_migrations rename to migrations;
alter sequence user_migrations_id_seq rename to migrations_id_seq;
alter index user_migrations_pkey rename to migrations_pkey;
alter index user_migrations_account rename to migrations_account;
alter index user_migrations_available rename to migrations_available;

alter table user_migration_repositories rename to migration_repositories;
alter index user_migration_repositories_pkey rename to migration_repositories_pkey;
alter index user_migration_repositories_repository rename to migration_repositories_repository;

-- Who started it: of an organization's migration, one of its owners.
alter table migrations add column creator_id bigint references accounts on delete set null;
update migrations set creator_id = account_id;
create index migrations_creator on migrations (creator_id);
