import { Agent, request } from 'node:http';
import { expect, test } from 'vitest';
import { allEndpoints } from '#resources/all.ts';
import { world } from '#test/support/world.ts';
import { random as randomOf } from '#test/vocabulary/random.ts';
import { makeStage } from './callers.ts';
import { type Bad, badRequest, pick, strangeRequest } from './mutations.ts';
import { everyRow } from './rows.ts';

const opened = await world();
const { owner, callers } = await makeStage(opened);
// The first read of a key creates it.
const folders = ['actions/secrets', 'dependency-bot/secrets'].flatMap((name) => [
  `/orgs/acme/${name}`,
  `/repos/acme/secret/${name}`,
]);
for (const path of ['/orgs/acme/private-registries', ...folders]) await (await opened.as(owner)).get(`${path}/public-key`);
const tokens = callers.filter(({ holds }) => holds).map(({ token }) => token);
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Sends a request line unchanged, since a client would normalize an odd path. */
function send({ method, path, headers = {}, body }: Bad, token: string | undefined): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }; // Node sends none with a DELETE
    const target = { path: `/api/v3${path}`, method, agent, headers: { ...authorization, ...headers, ...length } };
    const sent = request(opened.url, target, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end(body);
  });
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

const show = ({ method, path, headers, body, what }: Bad, { status, text }: { status: number; text: string }): string =>
  `${what}: ${method} ${path.slice(0, 200)} ${JSON.stringify(headers ?? {}).slice(0, 100)} ` +
  `${(body ?? '').slice(0, 200)} → ${status} ${text.slice(0, 200)}`;

const writing = allEndpoints.filter(({ method }) => method !== 'GET');

test('10,000 bad requests are refused or answered, none by a fault, and change no row', async () => {
  const random = randomOf(1);
  const bad = Array.from({ length: 10_000 }, (_, i) => ({
    made: badRequest(pick(i % 3 === 0 ? allEndpoints : writing, random), random),
    token: random(4) === 0 ? pick(tokens, random) : tokens[0],
  }));
  const before = await everyRow(opened.db);
  const wrong: string[] = [];
  await inParallel(bad, async ({ made, token }) => {
    const reply = await send(made, token);
    const isRefused = reply.status >= 400 && reply.status < 500;
    if (!isRefused && (made.method !== 'GET' || reply.status >= 500)) wrong.push(show(made, reply));
  });
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(await everyRow(opened.db)).toBe(before);
});

test('strange texts and numbers in well-typed bodies cause no fault', async () => {
  const random = randomOf(2);
  const withBody = writing.filter(({ body, id }) => body && !['orgs/delete', 'repos/delete', 'repos/transfer'].includes(id));
  const wrong: string[] = [];
  await inParallel(
    withBody.flatMap((endpoint) => Array.from({ length: 20 }, () => strangeRequest(endpoint, random))),
    async (made) => {
      const reply = await send(made, tokens[0]);
      if (reply.status >= 500) wrong.push(show(made, reply));
    },
  );
  expect(wrong.slice(0, 20)).toEqual([]);
});
