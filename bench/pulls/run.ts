import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import { type NewObject, oidOf } from '#git/objects/pack.ts';
import { commitBytes, writeObjects } from '#git/objects/write-objects.ts';
import { writeTree } from '#git/objects/write-tree.ts';
import { mustUpdateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import { listOpenInto } from '#resources/collaboration/pulls/store.ts';
import { testMerges } from '#resources/collaboration/pulls/test-merges.ts';
import { median, printTable, quantile } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';

/**
 * The cost of pull requests in a repository with many files: opening and merging one, and testing all open ones after a push to
 * their base. Use `--files 1000 --pulls 20` for a shorter run.
 */
const { values } = parseArgs({
  options: { files: { type: 'string', default: '10000' }, pulls: { type: 'string', default: '100' } },
});
const count = Number(values.pulls);
const merges = 30;

await using stage = await openStage();
const { hearth, db, git, token } = stage;
const { id } = await stage.addRepository('engine');
const gitRepository = repoOf(git, id);
const by = { name: 'Bench', email: 'bench@example.org', date: new Date(), zone: 0 };

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

const all = Array.from({ length: Number(values.files) }, (_, at) => ({
  path: `part-${at % 100}/file-${at}.txt`,
  content: `The file with the number ${at}\n`.repeat(20),
}));
const first = await addCommit(all);
await mustUpdateRefs(gitRepository, [{ ref: 'refs/heads/main', to: first }]);
await sql`update repositories set pushed_at = now() where id = ${id}`.execute(db);

async function send(method: 'POST' | 'PUT' | 'GET', path: string, body?: object): Promise<{ number: number }> {
  const reply = await hearth.app.inject({
    method,
    url: `/api/v3/repos/bench/engine${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { payload: body }),
  });
  if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${reply.payload}`);
  return reply.json();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const opening: number[] = [];
const numbers: number[] = [];
for (let at = 0; at < count + merges; at++) {
  const head = await addCommit([{ path: `part-${at % 100}/new-${at}.txt`, content: `${at}\n` }], first);
  await mustUpdateRefs(gitRepository, [{ ref: `refs/heads/topic-${at}`, to: head }]);
  opening.push(
    await timed(async () => {
      const { number } = await send('POST', '/pulls', { title: `Merge ${at}`, head: `topic-${at}`, base: 'main' });
      numbers.push(number);
    }),
  );
}

const merging: number[] = [];
const methods = ['merge', 'squash', 'rebase'] as const;
for (const [at, number] of numbers.slice(0, merges).entries())
  merging.push(await timed(() => send('PUT', `/pulls/${number}/merge`, { merge_method: methods[at % methods.length] })));

const open = await listOpenInto(db, id, ['main']);
const testing = await timed(() => testMerges(scopeWithoutRequest({ db, services: hearth.services, now: new Date() }), id, open));
const reading: number[] = [];
for (const number of numbers.slice(merges)) reading.push(await timed(() => send('GET', `/pulls/${number}`)));

printTable(
  [`${all.length} files`, 'median ms', 'p95 ms'],
  [
    ['opening', median(opening), quantile(opening, 0.95)],
    ['merging onto a base that moved', median(merging), quantile(merging, 0.95)],
    ['reading', median(reading), quantile(reading, 0.95)],
    [`testing ${open.length} after a push to their base, in all`, testing, testing],
  ],
);
