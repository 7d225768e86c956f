-- What rules said of the moves of refs that they apply to. `evaluation_result`: if rules that are tried out were in force; null where there
-- are none. `evaluations` has each rule with where it came from, since rulesets may change and be deleted.
create table rule_suites (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  actor_id bigint references accounts on delete set null,
  ref text not null,
  before_sha text,
  after_sha text,
  result text not null check (result in ('pass', 'fail', 'bypass')),
  evaluation_result text check (evaluation_result in ('pass', 'fail', 'bypass')),
  evaluations jsonb not null,
  pushed_at timestamptz not null
);
create index rule_suites_repository on rule_suites (repository_id, id);
create index rule_suites_pushed on rule_suites (pushed_at);
create index rule_suites_actor on rule_suites (actor_id);
