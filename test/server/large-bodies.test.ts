import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
import { pathOf, type Sent } from '#test/support/large-bodies.ts';
import { world } from '#test/support/world.ts';

const { user, repo, as, url, token } = await world();
const ada = await user('ada');
await repo(ada, { name: 'engine' });
await (await as(ada)).put('/repos/ada/engine/contents/a', { message: 'First', content: 'YQ==' });
const secret = await token(ada);
const client: ChildProcess = fork(join(import.meta.dirname, '../support/body-client.ts'));
afterAll(() => client.disconnect());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const fixedText = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ path: `d${at}`, text: 'ж'.repeat(30) })));
/** Milliseconds that ten readings of it take on a machine at rest. */
const usualTime = 45;

/**
 * How much longer this machine takes for a fixed computation now. Processor time doesn't count other processes, but they slow it
 * down by what they do to caches and memory.
 */
function slowness(): number {
  const before = used();
  for (let at = 0; at < 10; at++) JSON.parse(fixedText);
  return Math.max(1, (used() - before) / usualTime);
}

/** Milliseconds, as on a machine at rest. */
type Took = { status: number; computed: number; longest: number };

/** Milliseconds of processor time that this thread has used: other processes on the machine do not lengthen it. */
function used(): number {
  const { user: own, system } = process.threadCpuUsage();
  return (own + system) / 1_000;
}

async function send(body: string): Promise<Took> {
  const slow = slowness();
  const before = used();
  let longest = 0;
  let last = before;
  const turns = setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  client.send({ url: `${url}/api/v3/repos/ada/engine/${pathOf(body)}`, method: 'POST', token: secret, body } satisfies Sent);
  const [{ status }] = (await once(client, 'message')) as [{ status: number }]; // what the client tells
  clearInterval(turns);
  const end = used();
  return { status, computed: (end - before) / slow, longest: Math.max(longest, end - last) / slow };
}

test.each([
  ['ordinary', 201],
  ['empty lists as labels, 30 KB', 422],
  ['empty lists as labels, 1 MiB', 413],
  ['fields of any name, 1 MiB', 413],
  ['blob of 39 MiB as text', 201],
  ['blob of 39 MiB, not Latin', 201],
  ['blob of 39 MiB in base64 with line ends', 201],
  ['blob with a field of empty lists, 39 MiB', 413],
  ['tree of 19,000 distinct files', 201],
  ['tree of 390 files of 100 KB', 201],
  ['tree of 40,000 wrong entries', 422],
])('%s: answered with %i within a second of computing, and no turn holds the process', async (body, status) => {
  const took: Took[] = [];
  // What is slow is so each time; a collection of garbage from earlier tests is not, and comes before the next try.
  do {
    if (took.length > 0) collectGarbage();
    took.push(await send(body));
  } while (took.length < 10 && !took.some(({ computed, longest }) => computed < 1_000 && longest < 100));
  expect(took.map((one) => one.status)).toEqual(took.map(() => status));
  expect(Math.min(...took.map(({ computed }) => computed)), 'milliseconds of computing').toBeLessThan(1_000);
  expect(Math.min(...took.map(({ longest }) => longest)), 'milliseconds of the longest turn').toBeLessThan(100);
});
