/**
 * Random steps on merge queues: pull requests enter, jump, leave, change and are closed, checks pass and fail, and commits are
 * pushed past the queue, while the server may be killed (`kill -9`). Then every commit that a branch got is the head of a group
 * whose check passed, no entry overtook another, every entry was merged or left with a reason, and `git fsck` finds nothing.
 *
 *     npx node bench/merge-queues/run.ts [--steps 10000] [--kills 0] [--seed 7]
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { processorTimeOf, processorTimeOfOne } from '../support/processes.ts';
import { findProblems } from './problems.ts';
import { type QueueRule, startQueueServer } from './server.ts';
import { queueClient, randomNumbers } from './steps.ts';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: '7' },
  },
});
const steps = Number(values.steps);
const kills = Number(values.kills);
const seed = Number(values.seed);

const rules: readonly QueueRule[] = [
  { merge_method: 'MERGE', grouping_strategy: 'ALLGREEN' },
  { merge_method: 'SQUASH', grouping_strategy: 'ALLGREEN' },
  { merge_method: 'REBASE', grouping_strategy: 'ALLGREEN' },
  { merge_method: 'MERGE', grouping_strategy: 'HEADGREEN' },
];

await using server = await startQueueServer();
const topics = {
  count: Math.ceil((steps / rules.length) * 0.3) + 100,
  // Every third pull request may conflict with others.
  filesOf: (at: number) => ({
    [`topic-${at}.txt`]: `${at}\n`,
    ...(at % 3 === 0 ? { [`shared-${at % 60}.txt`]: `${at}\n` } : {}),
  }),
};
const queues = await Promise.all(
  rules.map(async (rule, at) => {
    const repository = await server.addRepository(`queue-${at}`, rule, topics);
    return { repository, client: queueClient(repository, randomNumbers(seed + at)) };
  }),
);

const begun = performance.now();
const seconds = () => Math.round((performance.now() - begun) / 1000);
let done = 0;
/** Seconds of processor time of the server's process, and of it with Git. Those of a server that was killed are lost. */
async function printProgress(): Promise<void> {
  const pid = server.pid();
  const [own, all] = await Promise.all([processorTimeOfOne(pid), processorTimeOf(pid)]);
  const seen = `${(own / 1000).toFixed(1)} s of processor time, ${((all - own) / 1000).toFixed(1)} s of Git`;
  process.stderr.write(`${done} steps, ${seconds()} s, ${seen}\n`);
}
const working = Promise.all(
  queues.map(async ({ client }) => {
    while (done < steps) {
      await client.step();
      done++;
      if (done % 500 === 0 && kills === 0) await printProgress();
    }
  }),
);
let killed = 0;
for (let at = 1; at <= kills; at++) {
  while (done < (steps * at) / (kills + 1)) await pause(20);
  await pause(Math.random() * 300);
  await server.kill();
  killed++;
}
await working;
await printProgress();
await Promise.all(queues.map(({ client }) => client.drain()));
const ranFor = seconds();

const problems: string[] = [];
const total = { pulls: 0, merged: 0, moves: 0 };
const reasons = new Map<string, number>();
const counts = new Map<string, number>();
for (const { repository, client } of queues) {
  const found = await findProblems(server.database, repository, client.record, { wasKilled: kills > 0 });
  problems.push(...found.problems);
  total.moves += found.moves;
  total.pulls += found.ended.length;
  for (const { removal_reason } of found.ended) {
    if (removal_reason === 'MERGE') total.merged++;
    else reasons.set(removal_reason ?? 'none', (reasons.get(removal_reason ?? 'none') ?? 0) + 1);
  }
  for (const [kind, count] of Object.entries(client.record.counts)) counts.set(kind, (counts.get(kind) ?? 0) + count);
}
process.stdout.write(
  `${done} steps and ${killed} kills in ${ranFor} s: ${total.pulls} pull requests entered, ${total.merged} were merged; ` +
    `others left by ${JSON.stringify(Object.fromEntries(reasons))}; main moved ${total.moves} times\n` +
    `steps: ${JSON.stringify(Object.fromEntries(counts))}\n` +
    `${problems.length} problems\n${problems.slice(0, 50).join('\n')}\n`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
