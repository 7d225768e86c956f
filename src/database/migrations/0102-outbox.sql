-- Events whose subscriptions weren't determined yet: a row for each, since transactions don't commit in the order of their ids.
create table undispatched_events (
  event_id bigint primary key
);

-- Events that wait in the lanes of subscriptions that take many at once. They are taken in the order of their turns, which alternate
-- between owners. An interrupted batch leaves its rows with the number of times that each was begun.
create table event_deliveries (
  lane text not null,
  owner_id bigint not null,
  turn bigint not null,
  event_id bigint not null,
  tries smallint not null default 0,
  primary key (lane, owner_id, turn, event_id)
) with (fillfactor = 70);
create index event_deliveries_turn on event_deliveries (lane, turn, event_id);

-- Each event had a job, and one for each subscription. Those that wait go on: the former as rows, the latter under the name of the
-- subscription.
do $$
begin
  if to_regclass('jobs._private_jobs') is not null then
    insert into undispatched_events (event_id)
    select distinct (job.payload ->> 'event')::bigint from jobs._private_jobs job
    where job.task_id = (select id from jobs._private_tasks where identifier = 'events.dispatch');
    delete from jobs._private_jobs where task_id = (select id from jobs._private_tasks where identifier = 'events.dispatch');

    insert into jobs._private_tasks (identifier)
    select distinct job.payload ->> 'to' from jobs._private_jobs job
    where job.task_id = (select id from jobs._private_tasks where identifier = 'events.deliver')
    on conflict do nothing;
    update jobs._private_jobs job set task_id = named.id from jobs._private_tasks named
    where job.task_id = (select id from jobs._private_tasks where identifier = 'events.deliver')
      and named.identifier = job.payload ->> 'to';
  end if;
end $$;
