-- Why the last attempt to make a hosted runner failed. It is stored while the status is `Stuck`.
alter table hosted_runners add column problem text;
