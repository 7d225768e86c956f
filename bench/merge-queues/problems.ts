// What is wrong with a branch that only its merge queue and an administrator moved, once the queue is empty.
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { Database } from '#database/connect.ts';
import type { QueueRepository } from './server.ts';
import type { StepRecord } from './steps.ts';

const execute = promisify(execFile);

/** An entry that has left its queue, with its pull request. `events` counts those of the queue, and how often it was merged. */
export type EndedEntry = {
  readonly number: number;
  readonly position: number;
  readonly enqueued_at: Date;
  readonly group_head_sha: string | null;
  readonly removed_at: Date | null;
  readonly removal_reason: string | null;
  readonly is_merged: boolean;
  readonly entries: number;
  readonly departures: number;
  readonly merges: number;
};

export async function listEnded({ db }: Database, repository: number): Promise<EndedEntry[]> {
  const { rows } = await sql<EndedEntry>`select i.number, e.position, e.enqueued_at, e.group_head_sha, e.removed_at,
      e.removal_reason, i.merged_at is not null as is_merged,
      (select count(*)::int from issue_events v where v.issue_id = i.id and v.event = 'added_to_merge_queue') as entries,
      (select count(*)::int from events v where v.repository_id = e.repository_id and v.kind = 'pull_request.dequeued'
        and (v.data ->> 'issue')::bigint = i.id) as departures,
      (select count(*)::int from issue_events v where v.issue_id = i.id and v.event = 'merged') as merges
    from merge_queue_entries e join issues i on i.id = e.issue_id
    where e.repository_id = ${repository} order by i.number`.execute(db);
  return rows;
}

const git = async (folder: string, ...args: string[]): Promise<string> =>
  (await execute('git', args, { cwd: folder, maxBuffer: 1 << 28 })).stdout.trim();

/** The commits that the main branch had, in order, by Git's own log of the ref. */
async function listTips(folder: string): Promise<string[]> {
  const text = await git(folder, 'log', '--walk-reflogs', '--format=%H', 'refs/heads/main', '--');
  return text.split('\n').reverse();
}

/** Finds what contradicts the promises of a queue. */
export async function findProblems(
  database: Database,
  { id, name, folder, rule }: QueueRepository,
  { reports, entered, pushed }: StepRecord,
  { wasKilled }: { wasKilled: boolean },
): Promise<{ problems: string[]; moves: number; ended: EndedEntry[] }> {
  const ended = await listEnded(database, id);
  const tips = await listTips(folder);
  const history = (await git(folder, 'rev-list', '--first-parent', '--reverse', 'refs/heads/main')).split('\n');
  const index = new Map(history.map((commit, at) => [commit, at]));
  const merged = ended.filter(({ removal_reason }) => removal_reason === 'MERGE');
  const groups = new Map(merged.map((entry) => [entry.group_head_sha, entry]));
  const authors = await git(folder, 'log', '--first-parent', '--format=%H %s', 'refs/heads/main');
  const written = new Set(authors.split('\n').flatMap((line) => (line.endsWith(' Write') ? line.slice(0, 40) : [])));
  const problems: string[] = [];

  // Every commit that the branch got is the head of a group whose check passed, or was pushed past the queue.
  for (const [at, tip] of tips.entries()) {
    const before = at === 0 ? -1 : (index.get(tips[at - 1] ?? '') ?? Number.NaN);
    if (!((index.get(tip) ?? -1) > before)) problems.push(`${tip} is no fast-forward`);
    if (at === 0 || pushed.has(tip) || (wasKilled && written.has(tip))) continue;
    if (!groups.has(tip)) problems.push(`${tip} is not the head of a group that was merged`);
    if (!reports.get(tip)?.passes) problems.push(`the check of ${tip} did not pass`);
  }

  for (const { number, removed_at, removal_reason, is_merged, group_head_sha: head, ...counts } of ended) {
    const isMerge = removal_reason === 'MERGE';
    if (removed_at === null || removal_reason === null) problems.push(`#${number} has not left the queue`);
    if (isMerge !== is_merged) problems.push(`#${number} left by ${removal_reason}, and is ${is_merged ? '' : 'not '}merged`);
    if (isMerge && !index.has(head ?? '')) problems.push(`#${number} was merged by ${head}, which the branch does not have`);
    if (isMerge && rule.grouping_strategy === 'ALLGREEN' && !reports.get(head ?? '')?.passes)
      problems.push(`#${number} was merged, and its check did not pass`);
    if (counts.entries !== counts.departures)
      problems.push(`#${number} entered ${counts.entries} times, and left ${counts.departures} times`);
    if (counts.merges !== Number(is_merged)) problems.push(`#${number} has ${counts.merges} events of its merge`);
  }

  const positions = tips.map((tip) => index.get(tip) ?? Number.NaN);
  const moveOf = (commit: string | null) => positions.findIndex((position) => position >= (index.get(commit ?? '') ?? 0));
  problems.push(...findOvertakings(ended, { reports, entered }, moveOf));
  const queueRefs = await git(folder, 'for-each-ref', '--format=%(refname)', 'refs/heads/queue');
  if (queueRefs !== '') problems.push(`branches are left: ${queueRefs}`);
  const open = await waitForRecovery(database, id);
  if (open > 0) problems.push(`${open} moves of refs wait for what follows them`);
  await git(folder, 'fsck', '--no-dangling').catch((error: Error) => problems.push(`git fsck: ${error.message}`));
  return { problems: problems.map((one) => `${name}: ${one}`), moves: tips.length - 1, ended };
}

/**
 * What follows a move is done within a minute after a kill. Returns how many moves still wait for that after three. Those that a
 * kill kept from being begun stay recorded for a day, and have no effect.
 */
async function waitForRecovery({ db }: Database, repository: number): Promise<number> {
  for (let second = 0; ; second++) {
    const { rows } = await sql<{ open: number }>`select count(*)::int as open from ref_changes
      where repository_id = ${repository} and commands = '[]'`.execute(db);
    const open = rows[0]?.open ?? 0;
    if (open === 0 || second === 180) return open;
    await pause(1_000);
  }
}

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

/**
 * Entries that were merged while one before them waited. Who jumped the queue after the last result of a merge was sent may have
 * come too late.
 */
function findOvertakings(
  ended: readonly EndedEntry[],
  { reports, entered }: Pick<StepRecord, 'reports' | 'entered'>,
  moveOf: (commit: string | null) => number,
): string[] {
  /** When the last result was sent that each move of the branch needed. */
  const decided = new Map<number, number>();
  const merged = ended.filter(({ removal_reason }) => removal_reason === 'MERGE');
  for (const { group_head_sha: head } of merged) {
    const move = moveOf(head);
    decided.set(move, Math.max(decided.get(move) ?? 0, reports.get(head ?? '')?.at ?? 0));
  }
  return merged.flatMap((later) => {
    const move = moveOf(later.group_head_sha);
    return ended.flatMap((former) => {
      const enteredAt = entered.get(former.number);
      const isBefore = Number(former.position) < Number(later.position);
      if (!isBefore || enteredAt === undefined || enteredAt >= (decided.get(move) ?? 0)) return [];
      const waited =
        former.removal_reason === 'MERGE'
          ? moveOf(former.group_head_sha) > move
          : Number(former.removed_at) > Number(later.removed_at);
      const shown = [former, later].map(({ number, ...one }) => `#${number} ${JSON.stringify(one)}`).join(', ');
      return waited ? [`#${later.number} overtook #${former.number}, which entered at ${timeOf(enteredAt)}: ${shown}`] : [];
    });
  });
}
