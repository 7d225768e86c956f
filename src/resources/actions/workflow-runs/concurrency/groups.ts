// Concurrency groups. Members are runs, jobs and calls of workflows. One member of a group is in progress, and the latest other
// one waits; earlier waiting members are cancelled.

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

/** Adds a pending run, job or call to a group. `settleGroup` starts it when it is its turn. */
export async function enterGroup(
  tx: Tx,
  repository: Id<'repositories'>,
  member: MemberKey,
  { group, cancelsInProgress }: Concurrency,
): Promise<void> {
  const id = await putGroup(tx, repository, group);
  if (await insertMember(tx, { ...member, group: id, cancelsInProgress })) await enqueueSettling(tx, id);
}

/** Removes a finished run or job from its group, so that the next member gets its turn. A run is removed with its calls. */
export async function leaveGroup(tx: Tx, member: Pick<MemberKey, 'run' | 'job'>): Promise<void> {
  for (const group of unique(await removeMember(tx, member))) await enqueueSettling(tx, group);
}

/** Removes finished calls from their groups, and adds new calls. */
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

/** The action for a member: start or cancel. */
export type Turns = {
  readonly begin: (context: JobContext, member: MemberRow) => Promise<void>;
  readonly cancel: (context: JobContext, member: MemberRow) => Promise<void>;
};

/**
 * Decides whose turn it is in a group, and then starts or cancels each member concerned in a transaction of its own. This way, no
 * transaction waits for a group while it holds the lock of a run, or vice versa. Repeating it changes nothing.
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
