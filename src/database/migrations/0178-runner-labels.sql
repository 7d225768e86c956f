-- Labels that people give a runner, beside those that it tells of itself.
alter table runners add column custom_labels text[] not null default '{}';
