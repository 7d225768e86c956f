// Concurrency groups: of the runs, jobs and calls of workflows in one, one is in progress and the latest other one waits; those
// that waited before it are cancelled.

import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { enqueue, job } from '#jobs/job.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Concurrency, Lease, LeaseState } from '#workflow-files/concurrency.ts';
import type { RunRow } from '../store.ts';
import {
  findGroupForUpdate,
  giveGroup,
  insertMember,
  listMembers,
  type MemberKey,
  type MemberRow,
  putGroup,
  removeCallMember,
  removeGroup,
  removeMember,
} from './store.ts';

type Group = Id<'concurrency_groups'>;

/** Makes a run, job or call, which is pending, a member of a group. When it is its turn, it is begun by `settleGroup`. */
export async function enterGroup(
  tx: Tx,
  repository: Id<'repositories'>,
  member: MemberKey,
  { group, cancelsInProgress }: Concurrency,
): Promise<void> {
  const id = await putGroup(tx, repository, group);
  if (await insertMember(tx, { ...member, group: id, cancelsInProgress })) await enqueueSettling(tx, id);
}

/** Takes a run or job that is over out of its group, so that the next one has its turn; a run with its calls. */
export async function leaveGroup(tx: Tx, member: Pick<MemberKey, 'run' | 'job'>): Promise<void> {
  for (const group of unique(await removeMember(tx, member))) await enqueueSettling(tx, group);
}

/** Takes the calls that are over out of their groups, and makes those members that come now. */
export async function settleCalls(
  tx: Tx,
  run: Pick<RunRow, 'id' | 'repository_id'>,
  members: readonly MemberRow[],
  leases: readonly Lease[],
): Promise<void> {
  const wanted = new Set(leases.map(({ key }) => key));
  const known = new Set(members.map(({ call_key }) => call_key));
  for (const member of members) {
    if (wanted.has(member.call_key ?? '')) continue;
    await removeCallMember(tx, member);
    await enqueueSettling(tx, member.group_id);
  }
  for (const lease of leases) {
    const { key, name } = lease;
    if (!known.has(key)) await enterGroup(tx, run.repository_id, { run: run.id, job: null, call: { key, name } }, lease);
  }
}

/** The states of a run's calls, for its plan. */
export const leasesOf = (members: readonly MemberRow[]): Map<string, LeaseState> =>
  new Map(
    members.map(({ call_key, status, is_cancelled }) => [
      call_key ?? '',
      { isHeld: status === 'in_progress', isCancelled: is_cancelled },
    ]),
  );

const settling = { name: 'workflow-runs.settle-group', attempts: 25 } as const;

const enqueueSettling = (tx: Tx, group: Group): Promise<void> =>
  enqueue(tx, settling, { group }, { key: `${settling.name} ${group}`, queue: `${settling.name} ${group}` });

/** What a member is to do: to begin, or to be cancelled. */
export type Turns = {
  readonly begin: (context: JobContext, member: MemberRow) => Promise<void>;
  readonly cancel: (context: JobContext, member: MemberRow) => Promise<void>;
};

/**
 * Decides whose turn it is in a group, and then has each of those begun or cancelled, in a transaction of its own: so that nobody
 * who holds the lock of a run waits for a group, and the other way round. Repeating it changes nothing.
 */
export const settleGroup = ({ begin, cancel }: Turns) =>
  job<{ group: Group }, JobContext>({
    ...settling,
    async run({ group }, context) {
      const { change, now } = context;
      const { begun, cancelled } = await change(async (scope) => {
        if (!(await findGroupForUpdate(scope.tx, group))) return { begun: [], cancelled: [] };
        const members = await listMembers(scope.tx, group);
        if (members.length === 0) {
          await removeGroup(scope.tx, group);
          return { begun: [], cancelled: [] };
        }
        const holders = members.filter(({ status }) => status === 'in_progress');
        const [first, ...later] = members.filter(({ status }) => status === 'pending');
        const isFree = holders.length === 0;
        if (isFree && first) await giveGroup(scope.tx, first, now);
        const waiting = first && !isFree ? [first, ...later] : later;
        const latest = waiting.at(-1);
        const inProgress = isFree && first ? [first] : holders;
        return { begun: inProgress, cancelled: [...waiting.slice(0, -1), ...(latest?.cancels_in_progress ? inProgress : [])] };
      });
      for (const member of cancelled) await cancel(context, member);
      for (const member of begun) await begin(context, member);
    },
  });
