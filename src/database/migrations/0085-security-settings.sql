-- What an organization wants of the security of its new repositories: settings of the public API that are kept and shown.

alter table organizations
  add column advanced_security_enabled_for_new_repositories boolean not null default false,
  add column dependency_bot_alerts_enabled_for_new_repositories boolean not null default false,
  add column dependency_bot_security_updates_enabled_for_new_repositories boolean not null default false,
  add column dependency_graph_enabled_for_new_repositories boolean not null default false,
  add column secret_scanning_enabled_for_new_repositories boolean not null default false,
  add column secret_scanning_push_protection_enabled_for_new_repositories boolean not null default false,
  add column secret_scanning_push_protection_custom_link_enabled boolean not null default false,
  add column secret_scanning_push_protection_custom_link text;
