-- Settings of what no part of the server does: they can't be switched on any more, and replies say that they are off.
alter table repositories
  drop column has_projects, drop column has_wiki, drop column has_discussions, drop column allow_auto_merge;

update organizations set advanced_security_enabled_for_new_repositories = false
where advanced_security_enabled_for_new_repositories;

update security_configurations
set settings = settings - array['code_security', 'secret_protection', 'dependency_graph_autosubmit_action_options',
    'code_scanning_default_setup_options'] || '{"advanced_security": "disabled"}';
