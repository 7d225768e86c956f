-- What has to follow a change of refs is written with the change, before Git makes it. Merges were planned in a table of their own.
alter table ref_changes add column following jsonb;

create function follow_up_of_plan(plan planned_merges) returns jsonb language sql
  return jsonb_build_array(jsonb_build_object('kind', 'pulls.merge', 'data',
    jsonb_build_object('issue', plan.issue_id, 'commit', plan.merge_commit_sha, 'app', plan.via_app_id)));

-- Whether the branch moved isn't known yet.
update ref_changes c set following = follow_up_of_plan(p)
from planned_merges p
where p.repository_id = c.repository_id
  and exists (select from jsonb_to_recordset(c.commands) as command("to" text) where command."to" = p.merge_commit_sha);

-- The branch moved, and only what follows is left to do. Where it didn't move, nothing is.
insert into ref_changes (repository_id, actor_id, commands, following, started_at)
select p.repository_id, p.actor_id, '[]', follow_up_of_plan(p), p.planned_at
from planned_merges p
where exists (
    select from events e
    where e.repository_id = p.repository_id and e.kind = 'push' and e.created_at >= p.planned_at
      and e.data -> 'moves' @> jsonb_build_array(jsonb_build_object('after', p.merge_commit_sha)))
  and not exists (
    select from ref_changes c, jsonb_to_recordset(c.commands) as command("to" text)
    where c.repository_id = p.repository_id and command."to" = p.merge_commit_sha);

drop function follow_up_of_plan;
drop table planned_merges;
