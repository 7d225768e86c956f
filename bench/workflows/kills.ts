/**
 * Runners take jobs while their server is repeatedly killed (kill -9) and restarted. No job may reach a runner twice, and none
 * may be lost. Jobs of the last rounds that never reached their runners are offered again a minute later. docs/performance.md has
 * the figures.
 *
 *     npx node bench/workflows/kills.ts [--rounds 100] [--runners 20] [--jobs 20]
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Task } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { joinRunner, type TestRunner } from '#test/support/runner-client.ts';
import { printTable } from '../search/measure.ts';
import { type Serving, startServing } from '../support/serving.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    runners: { type: 'string', default: '20' },
    jobs: { type: 'string', default: '20' },
  },
});
const rounds = Number(values.rounds);
const runnerCount = Number(values.runners);
const jobCount = Number(values.jobs);
/**
 * In milliseconds: the maximum time from creating a server's jobs to killing it, and the maximum time for a job to arrive at the
 * end.
 */
const longestRound = 1_000;
const patience = 300_000;

const token = 'hrp_bench_administrator_of_this_server';
const folder = await mkdtemp(join(tmpdir(), 'hearth-kills-'));
const start = (): Promise<Serving> => startServing(folder, { env: { HEARTH_ADMIN_TOKEN: token } });
let serving = await start();
let isOver = false;

async function call<Reply>(method: string, path: string, body?: object): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const reply = await fetch(`${serving.url}/api/v3${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return (reply.status === 204 ? undefined : await reply.json()) as Reply;
}

const workflow = `on: workflow_dispatch
jobs:
  job:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        n: [${Array.from({ length: jobCount }, (_, at) => at).join(', ')}]
    steps:
      - run: "true"
`;

/** Repeats a request that a killed server didn't answer, until it is answered. */
async function insist(work: () => Promise<unknown>): Promise<void> {
  while (!isOver) {
    try {
      await work();
      return;
    } catch (error) {
      if (error instanceof ConnectError && error.code === Code.NotFound) return; // another runner has it by now
      await pause(50);
    }
  }
}

type Counted = { id: number; status: string; conclusion: string | null };

try {
  const { full_name, default_branch } = await call<{ full_name: string; default_branch: string }>('POST', '/user/repos', {
    name: 'engine',
    auto_init: true,
  });
  const base = `/repos/${full_name}`;
  const content = Buffer.from(workflow).toString('base64');
  await call('PUT', `${base}/contents/.github/workflows/ci.yml`, { message: 'Workflow', content });
  const registration = await call<{ token: string }>('POST', `${base}/actions/runners/registration-token`);
  const clock = { now: new Date() };
  const runners: TestRunner[] = [];
  for (let at = 0; at < runnerCount; at++)
    runners.push(await joinRunner({ url: () => serving.url, clock }, { name: `r${at}`, token: registration.token }));

  const taken = new Map<number, number>();
  const work = async (runner: TestRunner): Promise<void> => {
    while (!isOver) {
      const task: Task | undefined = await runner.fetch().catch(() => undefined);
      if (!task) {
        await pause(20);
        continue;
      }
      taken.set(Number(task.id), (taken.get(Number(task.id)) ?? 0) + 1);
      await pause(Math.random() * 200);
      await insist(() => runner.end(task, 'success'));
    }
  };
  const working = runners.map(work);

  const made: number[] = [];
  let interrupted = 0;
  for (let round = 0; round < rounds; round++) {
    const { workflow_run_id } = await call<{ workflow_run_id: number }>('POST', `${base}/actions/workflows/ci.yml/dispatches`, {
      ref: default_branch,
      return_run_details: true,
    });
    made.push(workflow_run_id);
    await pause(Math.random() * longestRound);
    const before = taken.size;
    const ended = once(serving.process, 'exit');
    serving.process.kill('SIGKILL');
    await ended;
    if (before < made.length * jobCount) interrupted++;
    serving = await start();
  }
  const until = performance.now() + patience;
  const jobsOf = async (run: number): Promise<Counted[]> =>
    (await call<{ jobs: Counted[] }>('GET', `${base}/actions/runs/${run}/jobs?per_page=100`)).jobs;
  let jobs: Counted[] = [];
  do {
    await pause(2_000);
    jobs = (await Promise.all(made.map(jobsOf))).flat();
  } while (jobs.some(({ status }) => status !== 'completed') && performance.now() < until);
  isOver = true;
  await Promise.allSettled(working);
  printTable(
    ['rounds', 'of them while jobs waited or were taken', 'jobs', 'succeeded', 'taken twice', 'never taken'],
    [
      [
        rounds,
        interrupted,
        jobs.length,
        jobs.filter(({ conclusion }) => conclusion === 'success').length,
        [...taken.values()].filter((times) => times > 1).length,
        jobs.filter(({ id }) => !taken.has(id)).length,
      ].map(String),
    ],
  );
} finally {
  isOver = true;
  await serving.stop();
  await rm(folder, { recursive: true, force: true });
}
