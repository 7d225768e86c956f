/**
 * How long a server takes to start, and how much memory its processes use: idle, and after requests of many kinds.
 *
 *   node bench/memory/run.ts [--requests 10000] [--rounds 4] [--rest 20] [--checkout .]
 *
 * Node's memory is its resident set, since the bench is also a Node process and shares the program's pages with it. If no other
 * Node process runs, both figures are equal. PostgreSQL's memory is the sum of the proportional set sizes of its processes (PSS).
 * Linux only.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median, printTable } from '../search/measure.ts';
import { memoryByProgram, processorTimeOf } from '../support/processes.ts';
import { presentCheckout, startServing } from '../support/serving.ts';
import { openMixed } from './mixed.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '4' },
    rest: { type: 'string', default: '20' },
    checkout: { type: 'string', default: presentCheckout },
  },
});
const starts = 5;
const connections = 20;
const mebi = 1024 * 1024;
const token = 'a'.repeat(40);
const options = { checkout: values.checkout, env: { HEARTH_ADMIN_TOKEN: token } };

/**
 * Milliseconds from the start of the command to the first answered request, and the processor time until then, including
 * PostgreSQL's.
 */
async function timeStart(data: string): Promise<{ clock: number; processor: number }> {
  const start = performance.now();
  const server = await startServing(data, options);
  const reply = await fetch(`${server.url}/api/v3/user`, { headers: { authorization: `Bearer ${token}` } });
  if (!reply.ok) throw new Error(`GET /user is answered by ${reply.status}`);
  const times = { clock: performance.now() - start, processor: await processorTimeOf(server.process.pid ?? 0) };
  await server.stop();
  return times;
}

const folder = await mkdtemp(join(tmpdir(), 'hearth-memory-'));
const data = join(folder, 'data');
try {
  await timeStart(data); // creates the database and the compile cache
  const times: { clock: number; processor: number }[] = [];
  for (let at = 0; at < starts; at++) times.push(await timeStart(data));
  const [clock, processor] = (['clock', 'processor'] as const).map((kind) => median(times.map((time) => time[kind])));
  console.log(`start to first reply: ${clock?.toFixed(0)} ms, processor time ${processor?.toFixed(0)} ms\n`);

  const server = await startServing(data, options);
  const rows: (string | number)[][] = [];
  const measure = async (name: string): Promise<void> => {
    const { node, postgres } = await memoryByProgram(server.process.pid ?? 0);
    rows.push([name, ...[node, postgres, node + postgres].map((bytes) => String(Math.round(bytes / mebi)))]);
  };
  const rest = () => sleep(Number(values.rest) * 1_000);
  try {
    await rest();
    await measure('idle');
    const mixed = await openMixed({ url: server.url, token, folder });
    for (let round = 1; round <= Number(values.rounds); round++) {
      await mixed.send(Number(values.requests), connections);
      await measure(`after ${round * Number(values.requests)} requests`);
    }
    mixed.close();
    await rest();
    await measure('idle again');
  } finally {
    await server.stop();
  }
  printTable(['MB', 'Node', 'PostgreSQL', 'both'], rows);
} finally {
  await rm(folder, { recursive: true, force: true });
}
