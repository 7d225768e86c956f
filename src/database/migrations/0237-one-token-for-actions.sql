-- A job reads the actions of others by its own token. The second ones of jobs that run now end by themselves, a little after their jobs' time.
alter table workflow_jobs drop column actions_token_id;
