-- How many open pull requests somebody without write access may have in one repository, where it differs from its organization's setting.
create table pull_request_caps (
  repository_id bigint primary key references repositories on delete cascade,
  is_enabled boolean not null,
  max_open integer not null check (max_open between 1 and 1000)
);

-- For whom the cap doesn't hold.
create table pull_request_cap_bypasses (
  repository_id bigint not null references repositories on delete cascade,
  user_id bigint not null references accounts on delete cascade,
  primary key (repository_id, user_id)
);
create index pull_request_cap_bypasses_user on pull_request_cap_bypasses (user_id);
