-- What a repository wants of the security of its code. Each is off until somebody, or the organization for its new repositories, turns it on.

alter table repositories
  add column vulnerability_alerts boolean not null default false,
  add column dependency_bot_security_updates boolean not null default false,
  add column private_vulnerability_reporting boolean not null default false,
  add column secret_scanning boolean not null default false,
  add column secret_scanning_push_protection boolean not null default false,
  add column secret_scanning_non_provider_patterns boolean not null default false;
