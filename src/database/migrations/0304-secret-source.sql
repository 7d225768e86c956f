-- Which secrets the jobs of a run get: those of workflows, those of the dependency bot, or none.
alter table workflow_runs add column secret_source text not null default 'actions'
  check (secret_source in ('actions', 'dependency_bot', 'none'));

-- Registries of a run itself, whose secrets are those of the dependency bot, by their names.
alter table workflow_runs add column registries jsonb;
