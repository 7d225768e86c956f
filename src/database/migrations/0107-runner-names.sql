-- The name of a runner is free as soon as the runner is deleted, though its row stays until its machine is gone.
drop index hosted_runners_name;
create unique index hosted_runners_name on hosted_runners (organization_id, lower(name)) where status <> 'Deleting';
