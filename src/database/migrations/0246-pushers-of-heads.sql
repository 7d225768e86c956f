-- Everybody who pushed to the head of a pull request, and whether a push came from nobody known, as by a deploy key.
alter table pull_requests
  add column head_pushers bigint[] not null default '{}',
  add column has_unknown_pusher boolean not null default false;
update pull_requests set head_pushers = array_remove(array[head_pushed_by], null), has_unknown_pusher = head_pushed_by is null;
