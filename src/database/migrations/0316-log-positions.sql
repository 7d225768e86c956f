-- Where rows of a stored log begin, so that a part of it can be read without what is before.
create table workflow_job_log_positions (
  job_id bigint not null references workflow_jobs on delete cascade,
  first_row bigint not null,
  first_byte bigint not null,
  primary key (job_id, first_row)
);
