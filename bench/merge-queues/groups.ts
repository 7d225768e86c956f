/**
 * The time in which the group of an entry is made in a repository of many files, and the simulated minutes in which 50 entries
 * are merged, whose checks take a minute each, in groups of five.
 *
 *     npx node bench/merge-queues/groups.ts [--files 10000] [--entries 50]
 */
import { parseArgs } from 'node:util';
import { jobContext } from '#endpoint/job-context.ts';
import { advance } from '#resources/collaboration/merge-queues/advance.ts';
import { median, printTable, quantile } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';
import { addLargeRepository } from '../support/large-repository.ts';
import { processorTimeOf } from '../support/processes.ts';

const { values } = parseArgs({
  options: { files: { type: 'string', default: '10000' }, entries: { type: 'string', default: '50' } },
});
const entries = Number(values.entries);
const start = new Date();

await using stage = await openStage();
const { hearth, db } = stage;
const files = Number(values.files);
const { id, send, addBranch } = await addLargeRepository(stage, { files });
await send('POST', '/rulesets', {
  name: 'Queue',
  enforcement: 'active',
  conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
  rules: [
    {
      type: 'merge_queue',
      parameters: {
        check_response_timeout_minutes: 60,
        grouping_strategy: 'ALLGREEN',
        max_entries_to_build: 5,
        max_entries_to_merge: 5,
        merge_method: 'MERGE',
        min_entries_to_merge: 5,
        min_entries_to_merge_wait_minutes: 5,
      },
    },
    {
      type: 'required_status_checks',
      parameters: { required_status_checks: [{ context: 'test' }], strict_required_status_checks_policy: false },
    },
  ],
});

const succeed = (sha: string) => send('POST', `/statuses/${sha}`, { state: 'success', context: 'test' });
const key = { repository: id, branch: 'main' };
const advanceAt = (now: Date) => advance(jobContext({ db, now, log: hearth.worker.log }, hearth.services), key);

// The first groups are made one by one, and each later one together with the merge before it.
const making: number[] = [];
let processorTime = 0;
async function timed(now: Date): Promise<number> {
  const [begun, before] = [performance.now(), await processorTimeOf(process.pid)];
  await advanceAt(now);
  processorTime += (await processorTimeOf(process.pid)) - before;
  return performance.now() - begun;
}
for (let at = 0; at < entries; at++) {
  const head = await addBranch(`topic-${at}`, { path: `part-${at % 100}/file-${at}.txt`, content: `${at}\n` });
  const { number } = await send<{ number: number }>('POST', '/pulls', { title: `${at}`, head: `topic-${at}`, base: 'main' });
  await succeed(head);
  await send('PUT', `/pulls/${number}/queue-entry`);
  const took = await timed(start);
  if (at < 5) making.push(took);
}

type Queue = { entries: { merge_group: { head_sha: string } | null }[] };
const listEntries = async () => (await send<Queue>('GET', '/merge-queues/main?per_page=100')).entries;
let minutes = 0;
for (let left = await listEntries(); left.length > 0; left = await listEntries()) {
  minutes++;
  // What was requested a minute ago has passed.
  for (const { merge_group: group } of left) if (group) await succeed(group.head_sha);
  making.push((await timed(new Date(start.getTime() + minutes * 60_000))) / 5);
}

printTable(
  [`${files} files, ${entries} entries`, 'median', 'p95'],
  [
    ['ms for making a group, and merging it', median(making), quantile(making, 0.95)],
    ['the same in processor time, with Git and PostgreSQL', processorTime / entries, processorTime / entries],
    ['simulated minutes until all were merged', minutes, minutes],
  ],
);
