/**
 * Attacks a Hearth that has its default limits with fifty concurrent attackers, while an ordinary user continues to work.
 * Measures how long that user waits, how much memory the server's processes take, and whether the server recovers. Rate limits
 * are off, since they would stop most attacks.
 *
 *   node bench/abuse/run.ts [--seconds 10] [--memory 1G] [--only part-of-a-name]
 *
 * With --memory, all processes of the server together are limited to this amount (Linux cgroups, as root).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { memoryOf, watchMemory } from '../support/processes.ts';
import type { Ended, Order } from './attackers.ts';
import { type Attack, attacks } from './attacks.ts';
import { observe } from './bystander.ts';
import { makeMemoryGroup } from './memory-group.ts';
import { openStage } from './stage.ts';

const defaultAttackers = 50;
/** The time for the server to become idle before its memory is read. */
const restMs = 8_000;
const mebi = 1024 * 1024;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, memory: { type: 'string' }, only: { type: 'string' } },
});
const milliseconds = Number(values.seconds) * 1_000;
const chosen = attacks.filter(({ name }) => values.only === undefined || name.includes(values.only));

const group = values.memory === undefined ? undefined : await makeMemoryGroup(Number.parseInt(values.memory, 10) * 1024 ** 3);
const stage = await openStage(group?.within ?? []);
const root = stage.server.process.pid ?? 0;

async function attack({ name, attackers = defaultAttackers }: Attack): Promise<{ ended: Ended; row: string[] }> {
  const child = fork(join(import.meta.dirname, 'attackers.ts'));
  const order: Order = { attack: name, target: stage.target, attackers, milliseconds };
  const before = await memoryOf(root);
  const watching = watchMemory(root);
  const replied = once(child, 'message') as Promise<[Ended]>;
  child.send(order);
  const { user, refs } = await observe(stage.bystander, milliseconds);
  const [ended] = await replied;
  const peak = await watching.stop();
  await sleep(restMs);
  const after = await memoryOf(root);
  const failures = user.failures + refs.failures;
  const megabytes = [before, peak, after].map((bytes) => Math.round(bytes / mebi));
  return {
    ended,
    row: [name, `${user.median}, ${user.p99}`, `${refs.median}, ${refs.p99}`, String(failures), megabytes.join(', ')],
  };
}

try {
  const quiet = await observe(stage.bystander, milliseconds);
  console.log(`| attack | GET /user: median, p99 ms | ls-remote: median, p99 ms | failures | memory before, most, after (MB) |`);
  console.log('|---|---|---|---|---|');
  const rest = Math.round((await memoryOf(root)) / mebi);
  console.log(`| (none) | ${quiet.user.median}, ${quiet.user.p99} | ${quiet.refs.median}, ${quiet.refs.p99} | 0 | ${rest} |`);
  for (const one of chosen) {
    const { ended, row } = await attack(one);
    console.log(`| ${row.join(' | ')} |`);
    const statuses = Object.entries(ended.statuses).map(([status, count]) => `${status}: ${count}`);
    console.error(`  ${one.name}: ${ended.rounds} rounds; ${statuses.join(', ')}`);
  }
  if (group) {
    const { peak } = await group.usage();
    console.log(
      `most memory of the group: ${Math.round(peak / mebi)} MB; processes that the kernel ended: ${await group.kills()}`,
    );
  }
} finally {
  await stage.stop();
  await group?.remove();
}
