/**
 * Opens and merges pull requests while the server is repeatedly killed (`kill -9`). Then each merge must be either complete or
 * not started: the branch, the pull request, its events, the issue that it closes, the branch of
 * its head and the counts must agree, and everything acknowledged must be there.
 *
 *     node bench/pulls/kills.ts [rounds]
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { openDatabase } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import { presentCheckout, startServing } from '../support/serving.ts';

const rounds = Number(process.argv[2] ?? 20);
const workers = 4;
const folder = await mkdtemp(join(tmpdir(), 'hearth-merges-'));
const data = join(folder, 'data');
await mkdir(data);
const hearth = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(join(presentCheckout, 'hearth'), [...args, '--data', data, '--log', 'silent'])).stdout.trim();

const embedded = await startEmbedded(data);
const database = openDatabase(embedded.address);
try {
  await hearth('user', 'create', 'ada');
  const token = await hearth('token', 'create', '--kind', 'classic', '--user', 'ada', '--scope', 'repo', '--quiet');
  await hearth('repo', 'create', 'ada/engine');
  let url = '';
  let next = 0;
  const acknowledged = new Map<number, string>();

  async function send<Body>(method: string, path: string, body?: object): Promise<Body | undefined> {
    try {
      const reply = await fetch(`${url}/api/v3/repos/ada/engine${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return reply.ok ? ((await reply.json()) as Body) : undefined;
    } catch {
      return undefined; // the server was killed
    }
  }

  /** Opens and merges one pull request after the other, until the server has ended. */
  async function work(main: string): Promise<void> {
    for (;;) {
      const number = next++;
      const file = { message: `Add ${number}`, content: 'YQ==', branch: `topic-${number}` };
      if (!(await send('POST', '/git/refs', { ref: `refs/heads/topic-${number}`, sha: main }))) return;
      if (!(await send('PUT', `/contents/file-${number}`, file))) return;
      const issue = await send<{ number: number }>('POST', '/issues', { title: `Issue ${number}` });
      if (!issue) return;
      const wanted = { title: `Merge ${number}`, body: `Fixes #${issue.number}`, head: `topic-${number}`, base: 'main' };
      const pull = await send<{ number: number }>('POST', '/pulls', wanted);
      if (!pull) return;
      const merge_method = (['merge', 'squash', 'rebase'] as const)[number % 3];
      const merged = await send<{ sha: string }>('PUT', `/pulls/${pull.number}/merge`, { merge_method });
      if (!merged) return;
      acknowledged.set(pull.number, merged.sha);
    }
  }

  let main = '';
  for (let round = 1; round <= rounds; round++) {
    const server = await startServing(data);
    url = server.url;
    if (main === '') await send('PATCH', '', { delete_branch_on_merge: true });
    main ||=
      (await send<{ commit: { sha: string } }>('PUT', '/contents/first', { message: 'First', content: 'YQ==' }))?.commit.sha ??
      '';
    let isWorking = true;
    const working = Promise.all(Array.from({ length: workers }, () => work(main))).then(() => {
      isWorking = false;
    });
    // A busy machine takes long until it merges at all.
    for (const before = acknowledged.size; isWorking && acknowledged.size === before; ) await pause(20);
    await pause(Math.random() * 1_600);
    const ended = once(server.process, 'exit');
    server.process.kill('SIGKILL');
    await Promise.all([ended, working]);
    process.stderr.write(`\rround ${round}: ${acknowledged.size} merges acknowledged`);
  }
  process.stderr.write('\n');
  const server = await startServing(data);
  url = server.url;
  let problems = await findProblems(send, acknowledged);
  for (let second = 0; problems.length > 0 && second < 120; second++) {
    await pause(1_000);
    problems = await findProblems(send, acknowledged);
  }
  await server.stop();
  process.stdout.write(
    `${rounds} kills, ${acknowledged.size} merges acknowledged, ${problems.length} problems\n${problems.join('\n')}\n`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await database.close();
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The problems that remain after the server has recovered from the crashes. */
async function findProblems(
  send: <Body>(method: string, path: string) => Promise<Body | undefined>,
  acknowledged: ReadonlyMap<number, string>,
): Promise<string[]> {
  const { rows } = await sql<{
    number: number;
    title: string;
    merged: boolean;
    state: string;
    sha: string | null;
    head: string;
    events: number;
    closing: number;
  }>`
    select i.number, i.title, i.merged_at is not null as merged, i.state, p.merge_commit_sha as sha, p.head_ref as head,
      (select count(*) from issue_events e where e.issue_id = i.id and e.event = 'merged') as events,
      (select count(*) from text_references t join issue_events e on e.issue_id = t.target_issue_id and e.event = 'closed'
        where t.issue_id = i.id and t.closes) as closing
    from issues i join pull_requests p on p.issue_id = i.id order by i.number`.execute(database.db);
  const { rows: counts } = await sql<{ unfollowed: number; open: number; counted: number; waiting: number }>`
    select (select count(*) from ref_changes where commands = '[]') as unfollowed,
      (select count(*) from issues where state = 'open') as open,
      (select open_issues_count from repositories) as counted,
      (select count(*) from undispatched_events) as waiting`.execute(database.db);
  const tree = await send<{ tree: { path: string }[] }>('GET', '/git/trees/main');
  const files = new Set(tree?.tree.map(({ path }) => path));
  const refs = await send<{ ref: string }[]>('GET', '/git/matching-refs/heads/topic-');
  const branches = new Set(refs?.map(({ ref }) => ref.slice('refs/heads/'.length)));
  const [count] = counts;
  return [
    ...rows.flatMap(({ number, title, merged, state, sha, head, events, closing }) => {
      const isInMain = files.has(`file-${title.slice('Merge '.length)}`);
      const known = acknowledged.get(number);
      return [
        ...(merged === isInMain
          ? []
          : [`#${number} is ${merged ? '' : 'not '}merged, and its file is ${isInMain ? '' : 'not '}in main`]),
        ...(merged === (events === 1) ? [] : [`#${number} has ${events} events of its merge`]),
        ...(merged === (closing === 1) ? [] : [`its issue has ${closing} events of being closed by #${number}`]),
        ...(merged && branches.has(head) ? [`the branch of #${number} is there`] : []),
        ...(merged === (state === 'closed') ? [] : [`#${number} is ${state}`]),
        ...(known === undefined || known === sha ? [] : [`#${number} was merged by ${known}, and tells of ${sha}`]),
      ];
    }),
    ...(count && count.unfollowed > 0 ? [`${count.unfollowed} merges wait for what follows`] : []),
    ...(count && count.waiting > 0 ? [`${count.waiting} events wait`] : []),
    ...(count && count.open !== count.counted ? [`${count.counted} open issues are counted, and ${count.open} are there`] : []),
  ];
}
