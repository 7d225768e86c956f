/**
 * Runners at a server in a separate process: how long a waiting job waits for a polling runner, what idle runners cost, and what
 * long logs cost. Processor time covers the server and its PostgreSQL. docs/performance.md has the figures.
 *
 *     npx node bench/workflows/run.ts [--runners 100] [--jobs 1000] [--busy 0] [--timeout 5] [--idle 20] [--chunks 1000]
 *       [--checkout .]
 *
 * `busy` is the number of seconds that a runner is busy with a job. With 0, runners ask for the next job immediately, and wait
 * for one another. `checkout` is the folder of another checkout to measure.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Task } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { joinRunner, type TestRunner } from '#test/support/runner-client.ts';
import { median, printTable, quantile } from '../search/measure.ts';
import { memoryByProgram, processorTimeOf, processorTimeOfOne } from '../support/processes.ts';
import { startServing } from '../support/serving.ts';

const { values } = parseArgs({
  options: {
    runners: { type: 'string', default: '100' },
    jobs: { type: 'string', default: '1000' },
    busy: { type: 'string', default: '0' },
    idle: { type: 'string', default: '20' },
    timeout: { type: 'string', default: '5' },
    checkout: { type: 'string' },
    chunks: { type: 'string', default: '1000' },
  },
});
const runnerCount = Number(values.runners);
const jobCount = Number(values.jobs);
const busySeconds = Number(values.busy);
const idleSeconds = Number(values.idle);
const chunks = Number(values.chunks);
/** Milliseconds that a runner waits for the reply to a poll. The default of runners is 5 seconds. */
const fetchTimeout = Number(values.timeout) * 1_000;
/** Jobs of one matrix: at most 256 (the public API's limit). */
const matrixSize = 250;

const token = 'hrp_bench_administrator_of_this_server';
const folder = await mkdtemp(join(tmpdir(), 'hearth-workflows-'));
const serving = await startServing(folder, {
  env: { HEARTH_ADMIN_TOKEN: token },
  ...(values.checkout !== undefined && { checkout: values.checkout }),
});
const pid = serving.process.pid ?? 0;
const stopping = new AbortController();

async function call<Reply>(method: string, path: string, body?: object): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const reply = await fetch(`${serving.url}/api/v3${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return (reply.status === 204 ? undefined : await reply.json()) as Reply;
}

const workflowOf = (size: number): string => `on: workflow_dispatch
jobs:
  job:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        n: [${Array.from({ length: size }, (_, at) => at).join(', ')}]
    steps:
      - run: "true"
`;

/** Polls for a job until there is one; undefined once everything is measured. */
async function nextTask(runner: TestRunner, waits: number[]): Promise<Task | undefined> {
  let version = 0n;
  while (!stopping.signal.aborted) {
    const begun = performance.now();
    const options = { signal: stopping.signal, timeoutMs: fetchTimeout };
    const reply = await runner.client.fetchTask({ tasksVersion: version }, options).catch(() => undefined);
    if (reply?.task) {
      waits.push(performance.now() - begun);
      return reply.task;
    }
    version = reply?.tasksVersion ?? version;
  }
  return undefined;
}

const percent = (milliseconds: number, seconds: number): string => `${((milliseconds / (seconds * 1_000)) * 100).toFixed(1)} %`;

try {
  const { full_name, default_branch } = await call<{ full_name: string; default_branch: string }>('POST', '/user/repos', {
    name: 'engine',
    auto_init: true,
  });
  const base = `/repos/${full_name}`;
  for (const [name, size] of [
    ['matrix', matrixSize],
    ['one', 1],
  ] as const)
    await call('PUT', `${base}/contents/.github/workflows/${name}.yml`, {
      message: 'Workflow',
      content: Buffer.from(workflowOf(size)).toString('base64'),
    });
  const dispatch = (name: string) => call('POST', `${base}/actions/workflows/${name}.yml/dispatches`, { ref: default_branch });
  const registration = await call<{ token: string }>('POST', `${base}/actions/runners/registration-token`);
  const clock = { now: new Date() };
  const runners: TestRunner[] = [];
  for (let at = 0; at < runnerCount; at++)
    runners.push(await joinRunner({ url: serving.url, clock }, { name: `r${at}`, token: registration.token }));

  const taken = new Map<string, number>();
  const waits: number[] = [];
  const work = async (runner: TestRunner): Promise<void> => {
    for (let task = await nextTask(runner, waits); task; task = await nextTask(runner, waits)) {
      taken.set(String(task.id), (taken.get(String(task.id)) ?? 0) + 1);
      await pause(busySeconds * 1_000);
      await runner.end(task, 'success');
    }
  };
  const idling = async (): Promise<{ node: number; all: number }> => {
    const [node, all] = [await processorTimeOfOne(pid), await processorTimeOf(pid)];
    await pause(idleSeconds * 1_000);
    return { node: (await processorTimeOfOne(pid)) - node, all: (await processorTimeOf(pid)) - all };
  };
  await pause(2_000);
  const alone = await idling();
  const asking = runners.map(work);
  await pause(2_000);
  const asked = await idling();

  const before = await processorTimeOf(pid);
  const begun = performance.now();
  waits.length = 0;
  for (let made = 0; made < jobCount; made += matrixSize) await dispatch('matrix');
  while (taken.size < jobCount && performance.now() - begun < 600_000) await pause(20);
  const seconds = (performance.now() - begun) / 1_000;
  const all = (await processorTimeOf(pid)) - before;
  const twice = [...taken.values()].filter((times) => times > 1).length;
  // The first round waited before jobs existed.
  const later = waits.slice(runnerCount);
  printTable(
    ['jobs', 'seconds', 'taken twice', 'wait of a runner that asks, ms: median', 'p99', 'most', 'processor time a job, ms'],
    [
      [
        taken.size,
        seconds.toFixed(1),
        twice,
        median(later).toFixed(0),
        quantile(later, 0.99).toFixed(0),
        Math.max(...later).toFixed(0),
        (all / jobCount).toFixed(1),
      ].map(String),
    ],
  );
  printTable(
    [
      `${runnerCount} runners that have nothing to do, of a core: the server alone`,
      'with them',
      'of that the server and PostgreSQL',
    ],
    [
      [
        percent(alone.all, idleSeconds),
        percent(asked.all, idleSeconds),
        `${percent(asked.node, idleSeconds)} and ${percent(asked.all - asked.node, idleSeconds)}`,
      ],
    ],
  );
  stopping.abort();
  await Promise.allSettled(asking);

  const last = runners[0] as TestRunner;
  await dispatch('one');
  let task: Task | undefined;
  while (!task) task = (await last.client.fetchTask({ tasksVersion: 0n })).task;
  const lines = Array.from({ length: 100 }, (_, at) => `${at} ${'log '.repeat(25)}`);
  const bytes = Buffer.byteLength(lines.join('\n')) * chunks;
  const memory = (await memoryByProgram(pid)).node;
  const times: number[] = [];
  const logBefore = await processorTimeOf(pid);
  for (let at = 0; at < chunks; at++) {
    const start = performance.now();
    await last.log(task, lines, at * lines.length);
    times.push(performance.now() - start);
  }
  const spent = (await processorTimeOf(pid)) - logBefore;
  const grown = (await memoryByProgram(pid)).node - memory;
  await last.end(task, 'success', { steps: [{ first: 0, rows: chunks * lines.length }] });
  const tenth = Math.floor(chunks / 10);
  printTable(
    ['log, MB', 'chunks', 'ms a chunk: first tenth', 'last tenth', 'processor time a chunk, ms', 'memory of the process, MB'],
    [
      [
        (bytes / 1e6).toFixed(1),
        String(chunks),
        median(times.slice(0, tenth)).toFixed(1),
        median(times.slice(-tenth)).toFixed(1),
        (spent / chunks).toFixed(1),
        `${grown < 0 ? '' : '+'}${(grown / 1e6).toFixed(0)}`,
      ],
    ],
  );
} finally {
  stopping.abort();
  await serving.stop();
  await rm(folder, { recursive: true, force: true });
}
