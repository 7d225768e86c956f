-- What a start compares with the data folder, so that a lost volume or another secret key is noticed.
create table installation (
  only_row boolean primary key default true check (only_row),
  -- The content of the marker files in the folders of the installation.
  id uuid not null default gen_random_uuid(),
  -- The folders that have a marker file.
  marked_folders text[] not null default '{}',
  -- Absent until the first start with a secret key.
  secret_key_fingerprint text
);
insert into installation default values;
