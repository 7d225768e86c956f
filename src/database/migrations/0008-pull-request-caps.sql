-- How many open pull requests somebody without write access may have in a repository of an organization.

alter table organizations
  add column pull_request_cap_enabled boolean not null default false,
  add column max_open_pull_requests integer not null default 10 check (max_open_pull_requests between 1 and 1000);
