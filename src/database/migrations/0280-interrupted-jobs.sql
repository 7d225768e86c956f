-- Background jobs that were running when their process ended. Each runs alone from then on, which shows the one that ends the process.
create table interrupted_jobs (
  -- The id in the queue's own table, which the queue may make anew: so it is no foreign key.
  job_id bigint primary key,
  -- Whether it is running alone now.
  is_alone boolean not null default false,
  -- How often the process has ended while the job ran alone.
  ends integer not null default 0
);
