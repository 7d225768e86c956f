-- The dependency graph is a switch of its own, which vulnerability alerts need. Until now, they were one.
alter table repositories add column dependency_graph boolean not null default false;
update repositories set dependency_graph = true where vulnerability_alerts;

-- What configurations said of the graph had no effect.
update security_configurations set settings = settings - 'dependency_graph';
update security_configurations
  set settings = settings || '{"dependency_graph": "enabled"}', switches = switches || '{"dependency_graph": true}'
  where organization_id is null;
