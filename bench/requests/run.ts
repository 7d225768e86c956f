/**
 * Everyday requests, sent over ten connections to the Hearth of this checkout, and to another server for comparison.
 * docs/performance.md describes each row.
 *
 *     npx node bench/requests/run.ts                                      # only this checkout
 *     npx node bench/requests/run.ts --beside COMMIT                      # and an older commit
 *     npx node bench/requests/run.ts --url ADDRESS --token TOKEN          # and any other server with the same API
 *
 * More options: --requests (in a round, of each row), --rounds, --connections, --only part-of-a-row's-name, --no-present (only
 * the other server); for another server, --name, --organization (an existing one, if the server can't create one by request) and
 * --pid (once for each of its processes that isn't a child of another one).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pidExists } from '#lib/running-process.ts';
import { median, quantile } from '../search/measure.ts';
import { memoryOf, processorTimeOf } from '../support/processes.ts';
import { FailedLoad, startClient } from './load.ts';
import { checkOut, type Server, startCheckout } from './servers.ts';
import { answers, makeStage, type Row, type Stage } from './stage.ts';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    beside: { type: 'string' },
    url: { type: 'string' },
    token: { type: 'string' },
    name: { type: 'string' },
    organization: { type: 'string' },
    pid: { type: 'string', multiple: true, default: [] },
    present: { type: 'boolean', default: true },
    requests: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
  },
});
const requests = Number(values.requests);
const connections = Number(values.connections);

/** A row's total for one server over all rounds. The processor time is NaN if the server's processes aren't known. */
type Measured = { times: number[]; milliseconds: number; processorMs: number };
const nothing = (): Measured => ({ times: [], milliseconds: 0, processorMs: 0 });
type Tested = { server: Server; stage: Stage; measured: Map<string, Measured>; idle: number };

async function openServers(stack: AsyncDisposableStack): Promise<Server[]> {
  const servers: Server[] = [];
  if (values.beside !== undefined) servers.push(await startCheckout(stack, values.beside, await checkOut(stack, values.beside)));
  if (values.url !== undefined) {
    const url = values.url.replace(/\/$/, '');
    const { token, name = new URL(url).host, organization } = values;
    if (token === undefined) throw new Error('--url needs the --token of a user of that server');
    const pids = values.pid.map(Number);
    for (const pid of pids) if (!pidExists(pid)) throw new Error(`There is no process ${pid}`);
    servers.push({ name, url, token, pids, isPresent: false, ...(organization === undefined ? {} : { organization }) });
  }
  if (values.present) servers.push(await startCheckout(stack, 'present'));
  return servers;
}

/** Figures are NaN for a server whose processes can't be inspected. */
const memory = async ({ pids }: Server): Promise<number> => (pids.length === 0 ? Number.NaN : memoryOf(...pids));
const processorTime = async ({ pids }: Server): Promise<number> => (pids.length === 0 ? Number.NaN : processorTimeOf(...pids));

const restMs = 500;
const busyMs = 25;
const longestRestMs = 20_000;

/** Waits until a server is almost idle, since work after a request is part of its cost. Returns its processor time by then. */
async function rest(server: Server): Promise<number> {
  let before = await processorTime(server);
  if (server.pids.length === 0) return before;
  for (const until = performance.now() + longestRestMs; performance.now() < until; ) {
    await sleep(restMs);
    const now = await processorTime(server);
    if (now - before < busyMs) return now;
    before = now;
  }
  return before;
}

/** Makes a server's stage, and sends each row's request once. */
async function test(server: Server): Promise<Tested> {
  await rest(server);
  const idle = await memory(server);
  const stage = await makeStage(server, { strict: server.isPresent });
  const rows = stage.rows.filter(({ name }) => name.includes(values.only));
  const measured = new Map<string, Measured>();
  for (const row of rows) if (await answers(server, row)) measured.set(row.name, nothing());
  await rest(server);
  return { server, stage: { ...stage, rows }, measured, idle };
}

using client = startClient();

/**
 * Adds the cost of a row's requests to its totals. If a server other than the present one refuses them, the row has no figures.
 */
async function measure({ server, stage, measured }: Tested, row: Row, count: number): Promise<void> {
  const sums = measured.get(row.name);
  if (!sums) return;
  try {
    const before = await processorTime(server);
    const { times, milliseconds } = await client.measure({ ...stage.sent(row), requests: count, connections });
    sums.processorMs += (await rest(server)) - before;
    sums.milliseconds += milliseconds;
    sums.times.push(...times);
  } catch (error) {
    if (server.isPresent || !(error instanceof FailedLoad)) throw error;
    process.stderr.write(`${server.name}: ${row.name}: ${error.message}\n`);
    measured.delete(row.name);
  }
}

/** Rounds of all rows. The servers take turns, and the first one changes from round to round. */
async function measureAll(tested: readonly Tested[]): Promise<void> {
  const rows = tested[0]?.stage.rows ?? [];
  for (const one of tested) {
    for (const row of one.stage.rows) await measure(one, row, Math.ceil(requests / 5));
    for (const name of one.measured.keys()) one.measured.set(name, nothing());
  }
  for (let round = 0; round < Number(values.rounds); round++) {
    process.stderr.write(`round ${round + 1} of ${values.rounds}\n`);
    for (const [at] of rows.entries())
      for (const one of round % 2 === 0 ? tested : tested.toReversed()) {
        const row = one.stage.rows[at];
        if (row) await measure(one, row, requests);
      }
  }
}

/** A figure; empty if there is nothing to divide by. */
const shown = (value: number): string => (Number.isFinite(value) ? value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2) : '–');

const print = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);

/** The figures of one server, or of two as "one → other". */
const both = (figures: readonly number[]): string => figures.map(shown).join(' → ');
/** The other's figure divided by the first one's. */
const ratio = ([one = Number.NaN, other = Number.NaN]: readonly number[]): string => shown(other / one);

/** A table of one server, or of two side by side. */
async function printTables(tested: readonly Tested[]): Promise<void> {
  const pair = tested.length > 1;
  const names = tested.map(({ server }) => server.name).join(' → ');
  const figures = (row: Row, figure: (measured: Measured) => number): number[] =>
    tested.map(({ measured }) => {
      const found = measured.get(row.name);
      return found ? figure(found) : Number.NaN;
    });
  print([names, 'requests/s', ...(pair ? ['ratio'] : []), 'p50 ms', 'p99 ms', 'processor ms', ...(pair ? ['ratio'] : [])]);
  print(['---', ...Array.from({ length: pair ? 6 : 4 }, () => '---:')]);
  for (const row of tested[0]?.stage.rows ?? []) {
    const perSecond = figures(row, ({ times, milliseconds }) => (times.length / milliseconds) * 1_000);
    const p50 = figures(row, ({ times }) => median(times));
    const p99 = figures(row, ({ times }) => quantile(times, 0.99));
    const processor = figures(row, ({ times, processorMs }) => processorMs / times.length);
    const last = pair ? [ratio(processor)] : [];
    print([row.name, both(perSecond), ...(pair ? [ratio(perSecond)] : []), both(p50), both(p99), both(processor), ...last]);
  }
  const after = await Promise.all(
    tested.map(async ({ server }) => {
      await rest(server);
      return memory(server);
    }),
  );
  console.log();
  print([names, 'memory, MB', ...(pair ? ['ratio'] : [])]);
  print(['---', ...Array.from({ length: pair ? 2 : 1 }, () => '---:')]);
  for (const [name, bytes] of [
    ['idle', tested.map(({ idle }) => idle)],
    ['after the run', after],
  ] as const)
    print([name, both(bytes.map((size) => size / 2 ** 20)), ...(pair ? [ratio(bytes)] : [])]);
}

async function main(stack: AsyncDisposableStack): Promise<void> {
  const servers = await openServers(stack);
  if (servers.length === 0) throw new Error('--no-present needs --beside or --url');
  const tested: Tested[] = [];
  for (const server of servers) {
    const one = await test(server);
    stack.defer(() => one.stage.remove());
    tested.push(one);
  }
  await measureAll(tested);
  const present = tested.find(({ server }) => server.isPresent);
  const others = tested.filter((one) => one !== present);
  for (const [at, other] of others.entries()) {
    if (at > 0) console.log();
    await printTables(present ? [other, present] : [other]);
  }
  if (present && others.length === 0) await printTables([present]);
}

// An interrupted run also ends its servers and removes its folders.
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(`Ended by ${signal}`)));
});
await using stack = new AsyncDisposableStack();
await Promise.race([main(stack), interrupted]);
