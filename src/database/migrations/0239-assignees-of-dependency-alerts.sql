-- To whom alerts about dependencies are assigned.
create table dependency_alert_assignees (
  alert_id bigint not null references dependency_alerts on delete cascade,
  account_id bigint not null references accounts on delete cascade,
  primary key (alert_id, account_id)
);
create index dependency_alert_assignees_account on dependency_alert_assignees (account_id);
