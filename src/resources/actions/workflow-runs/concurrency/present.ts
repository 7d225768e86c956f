import type { Db } from '#database/connect.ts';
import { gather, grouped } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { unprocessable } from '#lib/refusal.ts';
import { timestampOrNull } from '#lib/time.ts';
import type { RepositoryUrls } from '#resources/code/commits/index.ts';
import { jobPage, jobUrl, runPage, runUrl } from '../present.ts';
import type {
  ConcurrencyGroup,
  ConcurrencyGroupFilter,
  ConcurrencyGroupMember,
  ConcurrencyGroupOfRun,
  ConcurrencyGroupWithMembers,
} from '../schemas.ts';
import { callKeysAbove, type GroupRow, listNamedMembers, type NamedMember } from './store.ts';

const named = (urls: RepositoryUrls, { name }: GroupRow) => ({
  group_name: name,
  group_url: `${urls.url}/actions/concurrency_groups/${encodeURIComponent(name)}`,
});

export const presentGroup = (urls: RepositoryUrls, row: GroupRow): ConcurrencyGroup => ({
  ...named(urls, row),
  last_acquired_at: timestampOrNull(row.last_acquired_at),
});

/**
 * A group with its members, or with one member and those before it. A run includes the calls of workflows in it, and a job
 * includes the calls that lead to it (the public API's rule).
 * @throws Refusal 422 if that member isn't in the group
 */
export async function presentGroupWithMembers(
  db: Db,
  urls: RepositoryUrls,
  row: GroupRow,
  { ahead_of_run, ahead_of_job }: ConcurrencyGroupFilter,
): Promise<ConcurrencyGroupWithMembers> {
  if (ahead_of_run !== undefined && ahead_of_job !== undefined)
    throw unprocessable('ahead_of_run and ahead_of_job must not be given together');
  const members = await listNamedMembers(db, [row.id]);
  const [above] = ahead_of_job === undefined ? [] : await callKeysAbove(db, asId(ahead_of_job));
  const isMeant = ({ run_id, job_id, call_key }: NamedMember): boolean =>
    ahead_of_job === undefined
      ? run_id === ahead_of_run && job_id === null
      : job_id === ahead_of_job || (call_key !== null && run_id === above?.run && above.keys.includes(call_key));
  const isWanted = ahead_of_run !== undefined || ahead_of_job !== undefined;
  const index = isWanted ? members.findIndex(isMeant) : members.length;
  if (index < 0) throw unprocessable('ahead_of_run and ahead_of_job must name a member of the group');
  const shown = members.slice(0, index + 1);
  return {
    ...named(urls, row),
    total_count: shown.length,
    group_members: shown.map((member) => presentMember(urls, member)),
  };
}

/** Presents a page of groups, each with the positions of a run and its jobs. */
export async function presentGroupsOfRun(
  db: Db,
  urls: RepositoryUrls,
  run: Id<'workflow_runs'>,
  rows: readonly GroupRow[],
): Promise<ConcurrencyGroupOfRun[]> {
  const byGroup = grouped(await listNamedMembers(db, gather(rows, 'id')), ({ group_id }) => group_id);
  return rows.map((row) => {
    const group = named(urls, row);
    const positions = (byGroup.get(row.id) ?? []).map((member, position) => ({ member, position }));
    const own = positions.filter(({ member }) => member.run_id === run);
    return {
      ...group,
      group_members: own.map(({ member, position }) => ({
        ...presentMember(urls, member),
        position,
        position_url: `${group.group_url}?${member.job_id === null ? `ahead_of_run=${run}` : `ahead_of_job=${member.job_id}`}`,
      })),
    };
  });
}

/** A member. A call of a workflow has the name of the calling job, but no job id. */
function presentMember(
  urls: RepositoryUrls,
  { run_id, run_name, job_id, job_name, status }: NamedMember,
): ConcurrencyGroupMember {
  const job =
    job_id === null
      ? job_name !== null && { job_name }
      : { job_id, job_name: job_name ?? '', job_url: jobUrl(urls, job_id), job_html_url: jobPage(urls, { id: job_id, run_id }) };
  return { run_id, run_name, run_url: runUrl(urls, run_id), run_html_url: runPage(urls, run_id), ...job, status };
}
