/**
 * Users' requests while secret scanning is enabled for all repositories of an organization, each with a history, alternating with
 * periods without scanning: the waiting times, and the cost of the scans.
 *
 *     npx node bench/secret-scanning/history.ts [--repositories 1000] [--kilobytes 1000] [--connections 4] [--rounds 3]
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startClient } from '../requests/load.ts';
import { median, printTable, quantile } from '../search/measure.ts';
import { memoryOf, processorTimeOf, watchMemory } from '../support/processes.ts';
import { commitOf, openStage } from './stage.ts';

const { values } = parseArgs({
  options: {
    repositories: { type: 'string', default: '1000' },
    kilobytes: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
  },
});
const [count, kilobytes, connections, rounds] = [values.repositories, values.kilobytes, values.connections, values.rounds].map(
  Number,
) as [number, number, number, number];
const mebi = 1024 * 1024;
/** The number of requests in one measurement. Measurements continue until everything is scanned. */
const requestsAtOnce = 400;
const commits = 20;

await using stage = await openStage();
const { login: admin } = await stage.call('GET', '/user');
const { login = '' } = await stage.call('POST', '/admin/organizations', { login: 'acme', admin });
for (let round = 0; round < commits; round++)
  await stage.git(
    ['fast-import', '--quiet', '--force'],
    commitOf('main', round, { files: Math.ceil(kilobytes / commits / 2), bytes: 2_000 }),
  );
const names = Array.from({ length: count }, (_, at) => `${login}/engine-${at}`);
for (const name of names) {
  await stage.call('POST', `/orgs/${login}/repos`, { name: name.slice(login.length + 1) });
  await stage.git(['push', '-q', stage.addressOf(name), 'main']);
}
const issues = `/repos/${names[0]}/issues`;
for (let at = 0; at < 50; at++) await stage.call('POST', issues, { title: `Issue ${at}` });

const urls = [`/repos/${names[0]}`, issues, `${issues}/1`, `/repos/${names[0]}/contents/folder-0`, '/user'].map(
  (path) => stage.api + path,
);
using client = startClient();
const load = { method: 'GET', url: '', urls, token: stage.token, connections };
const idle = { ...load, requests: requestsAtOnce };
/** Whether the history of a repository was scanned. Before scanning is enabled for it, there is no list of scans. */
const isScanned = async (name: string): Promise<boolean> => {
  type History = { backfill_scans: { completed_at: string | null }[] };
  const shown = await stage.call<History>('GET', `/repos/${name}/secret-scanning/scan-history`).catch(() => undefined);
  return shown?.backfill_scans.some(({ completed_at }) => completed_at !== null) ?? false;
};
const isDone = async (): Promise<boolean> => (await Promise.all(names.slice(-3).map(isScanned))).every((is) => is);

type Phase = { waits: number[]; processor: number; milliseconds: number };
const measure = async (isEnded: (times: number) => boolean | Promise<boolean>): Promise<Phase> => {
  const before = await processorTimeOf(stage.pid);
  const start = performance.now();
  const waits: number[] = [];
  for (let times = 0; !(await isEnded(times)); times++) waits.push(...(await client.measure(idle)).times);
  return { waits, processor: (await processorTimeOf(stage.pid)) - before, milliseconds: performance.now() - start };
};
const some = (times: number) => times >= 10;
/** Disables scanning, and waits until it is disabled for the last repository. Until then, it can't be enabled again. */
const disable = async (): Promise<void> => {
  await stage.call('POST', `/orgs/${login}/secret_scanning/disable_all`);
  type Shown = { security_and_analysis: { secret_scanning: { status: string } } };
  const isOff = async () =>
    (await stage.call<Shown>('GET', `/repos/${names.at(-1)}`)).security_and_analysis.secret_scanning.status === 'disabled';
  while (!(await isOff())) await new Promise((resolve) => setTimeout(resolve, 200));
};

await measure(some);
const phases: { idle: Phase; busy: Phase }[] = [];
const memory = await memoryOf(stage.pid);
let peak = 0;
for (let round = 0; round < rounds; round++) {
  const idle = await measure(some);
  const watching = watchMemory(stage.pid);
  await stage.call('POST', `/orgs/${login}/secret_scanning/enable_all`);
  const busy = await measure(isDone);
  peak = Math.max(peak, await watching.stop());
  phases.push({ idle, busy });
  await disable();
  await measure(some); // while the scans are removed
}

const sumOf = (some: readonly Phase[], of: (phase: Phase) => number): number => some.reduce((sum, phase) => sum + of(phase), 0);
const [free, busy] = [phases.map(({ idle }) => idle), phases.map((phase) => phase.busy)];
const costOf = (some: readonly Phase[]): number =>
  sumOf(some, ({ processor }) => processor) / sumOf(some, ({ waits }) => waits.length);
const figures = (some: readonly Phase[]) => {
  const waits = some.flatMap((phase) => phase.waits);
  return [String(waits.length), `${median(waits).toFixed(1)} ms`, `${quantile(waits, 0.99).toFixed(1)} ms`];
};
printTable(
  ['', 'requests', 'median', 'p99'],
  [
    ['nothing is scanned', ...figures(free)],
    ['histories are scanned', ...figures(busy)],
  ],
);
const own = sumOf(busy, ({ processor }) => processor) - sumOf(busy, ({ waits }) => waits.length) * costOf(free);
const seconds = sumOf(busy, ({ milliseconds }) => milliseconds) / 1_000 / rounds;
process.stdout.write(
  'p99 of each round, with scans and without: ' +
    `${phases.map((one) => (quantile(one.busy.waits, 0.99) / quantile(one.idle.waits, 0.99)).toFixed(2)).join(' ')}\n` +
    `${count} repositories of ${kilobytes} KB: ${seconds.toFixed(0)} s, ${(own / count / rounds).toFixed(0)} ms of ` +
    'processor time each, ' +
    `memory ${Math.round(memory / mebi)} MB before, at most ${Math.round(peak / mebi)} MB meanwhile\n` +
    `load of the machine: ${loadavg()
      .map((value) => value.toFixed(1))
      .join(' ')}\n`,
);
