/**
 * The time in which the group of an entry is made in a repository of many files, and the simulated minutes in which 50 entries
 * are merged, whose checks take a minute each, in groups of five.
 *
 *     npx node bench/merge-queues/groups.ts [--files 10000] [--entries 50]
 */
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { jobContext } from '#endpoint/job-context.ts';
import { type NewObject, oidOf } from '#git/objects/pack.ts';
import { commitBytes, writeObjects } from '#git/objects/write-objects.ts';
import { writeTree } from '#git/objects/write-tree.ts';
import { mustUpdateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import { advance } from '#resources/collaboration/merge-queues/advance.ts';
import { median, printTable, quantile } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';
import { processorTimeOf } from '../support/processes.ts';

const { values } = parseArgs({
  options: { files: { type: 'string', default: '10000' }, entries: { type: 'string', default: '50' } },
});
const entries = Number(values.entries);
const start = new Date();

await using stage = await openStage();
const { hearth, db, git, token } = stage;
const { id } = await stage.addRepository('engine');
const gitRepository = repoOf(git, id);
const by = { name: 'Bench', email: 'bench@example.org', date: start, zone: 0 };

type Files = readonly { path: string; content: string }[];
async function addCommit(files: Files, parent?: string): Promise<string> {
  const changes = files.map(({ path, content }) => ({ path, mode: '100644' as const, content: Buffer.from(content) }));
  const tree = await writeTree(gitRepository, { changes, ...(parent === undefined ? {} : { base: parent }) });
  const commit: NewObject = {
    type: 'commit',
    data: commitBytes({ tree, parents: parent === undefined ? [] : [parent], author: by, committer: by, message: 'Change' }),
  };
  await writeObjects(gitRepository, [commit]);
  return oidOf(commit);
}

async function send<Body>(method: 'POST' | 'PUT' | 'GET', path: string, body?: object): Promise<Body> {
  const reply = await hearth.app.inject({
    method,
    url: `/api/v3/repos/bench/engine${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { payload: body }),
  });
  if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${reply.payload}`);
  return reply.json();
}

const all = Array.from({ length: Number(values.files) }, (_, at) => ({
  path: `part-${at % 100}/file-${at}.txt`,
  content: `The file with the number ${at}\n`.repeat(20),
}));
const first = await addCommit(all);
await mustUpdateRefs(gitRepository, [{ ref: 'refs/heads/main', to: first }]);
await sql`update repositories set pushed_at = now() where id = ${id}`.execute(db);
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
  const head = await addCommit([{ path: `part-${at % 100}/file-${at}.txt`, content: `${at}\n` }], first);
  await mustUpdateRefs(gitRepository, [{ ref: `refs/heads/topic-${at}`, to: head }]);
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
  [`${all.length} files, ${entries} entries`, 'median', 'p95'],
  [
    ['ms for making a group, and merging it', median(making), quantile(making, 0.95)],
    ['the same in processor time, with Git and PostgreSQL', processorTime / entries, processorTime / entries],
    ['simulated minutes until all were merged', minutes, minutes],
  ],
);
