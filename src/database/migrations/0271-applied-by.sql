-- The release that applied a migration, for the message of an older one that finds it.
alter table schema_migrations add column applied_by text;
