import { Agent, request } from 'node:http';
import { expect, test } from 'vitest';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { allEndpoints } from '#resources/all.ts';
import { makeStage, samplePath } from '#test/conformance/callers.ts';
import { world } from '#test/support/world.ts';
import { costOf } from './support/cost.ts';

// Every parameter that can be repeated and every body, as much of it as may be sent, to every endpoint: what is derived from the
// declarations needs no list, so an endpoint that comes can't be forgotten.

const kibi = 1024;
const small = { body: 256 * kibi, fileBody: 1024 * kibi };
/** A long line of a request; Node itself refuses those above 128 KiB. */
const longestQuery = 100 * kibi;

const opened = await world({ resourceLimits: { requests: small } });
const { owner } = await makeStage(opened);
const token = await opened.token(owner);
const other = await opened.token(await opened.user());
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

type Sent = { name: string; method: string; path: string; body?: Buffer };

/** Sends a request as it stands, and reads the reply; 0 where the connection was closed instead. */
function send({ method, path, body }: Omit<Sent, 'name'>, as = token): Promise<number> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${as}`, ...(body ? { 'content-length': body.length } : {}) };
    const sent = request(opened.url, { method, path: `/api/v3${path}`, agent, headers }, (reply) => {
      reply.on('error', () => resolve(0)).on('end', () => resolve(reply.statusCode ?? 0));
      reply.resume();
    });
    sent.on('error', () => resolve(0)).end(body);
  });
}

type Shape = { type?: string; properties?: Record<string, Shape>; items?: Shape; anyOf?: Shape[] };

const isList = (shape: Shape): boolean => shape.type === 'array' || (shape.anyOf?.some(isList) ?? false);

/** Deleting, or handing over, what all other requests are about. */
const final = new Set(['orgs/delete', 'repos/delete', 'repos/transfer']);
const tried = allEndpoints.filter(({ id }) => !final.has(id));

const propertiesOf = (schema: unknown): [string, Shape][] => Object.entries((schema as Shape | undefined)?.properties ?? {});

const exampleOf = ({ example }: Endpoint): object => (typeof example === 'object' && example !== null ? example : {});

/** Lists of 10,000 items, right and wrong ones, in the place of each field that may be a list and of each that may not. */
function longLists(endpoint: Endpoint): Sent[] {
  const { method, path } = endpoint;
  const items = { texts: (i: number) => `item-${i}`, lists: () => [], objects: (i: number) => ({ name: i, id: `${i}` }) };
  return propertiesOf(endpoint.body).flatMap(([field, shape]) =>
    Object.entries(items)
      .slice(0, isList(shape) ? 3 : 1)
      .map(([kind, item]) => {
        const list = Array.from({ length: 10_000 }, (_, i) => item(i));
        const body = Buffer.from(JSON.stringify({ ...exampleOf(endpoint), [field]: list }));
        return { name: `${endpoint.id}: 10,000 ${kind} as ${field}`, method, path: samplePath(path), body };
      }),
  );
}

/** Bodies as large as may be: a text, unknown fields, and brackets that nest and don't. */
function largestBodies(endpoint: Endpoint): Sent[] {
  const { method, path, body: schema } = endpoint;
  if (!schema) return [];
  const size = (endpoint.carries === 'file' ? small.fileBody : small.body) - 2 * kibi;
  const fields = propertiesOf(schema).map(([name]) => name);
  const start = JSON.stringify(exampleOf(endpoint)).slice(0, -1);
  const open = start === '{' ? start : `${start},`;
  const texts = {
    'a long text': `${open}"${fields[0] ?? 'text'}":"${'x'.repeat(size)}"}`,
    'unknown fields': `${open}"unknown":{${'"a":1,'.repeat(Math.floor(size / 6) - 1)}"b":1}}`,
    'empty lists': `${open}"${fields[0] ?? 'list'}":[${'[],'.repeat(Math.floor(size / 3) - 1)}[]]}`,
    brackets: '['.repeat(size),
    escapes: `${open}"${fields[0] ?? 'text'}":"${'\\ud800\\u0000'.repeat(Math.floor(size / 12))}"}`,
  };
  return Object.entries(texts).map(([name, text]) => ({
    name: `${endpoint.id}: ${name}`,
    method,
    path: samplePath(path),
    body: Buffer.from(text),
  }));
}

/** Each declared parameter of a query as often as a line has room for, and as one long list with commas. */
function repeatedParameters(endpoint: Endpoint): Sent[] {
  const { method, path } = endpoint;
  return [...propertiesOf(endpoint.query), ...(endpoint.paging ? [['per_page', {}] as [string, Shape]] : [])].flatMap(
    ([name]) => {
      const often = Array.from({ length: Math.floor(longestQuery / (name.length + 7)) }, (_, i) => `${name}=${i}`).join('&');
      const long = `${name}=${Array.from({ length: Math.floor(longestQuery / 7) }, (_, i) => i).join(',')}`;
      return [
        { name: `${endpoint.id}: ${name} again and again`, method, path: `${samplePath(path)}?${often.slice(0, longestQuery)}` },
        { name: `${endpoint.id}: a long ${name}`, method, path: `${samplePath(path)}?${long.slice(0, longestQuery)}` },
      ];
    },
  );
}

const most = { threadMs: 500, databaseMs: 500, databaseBytes: 100 * 1024 * kibi };

/** Sends each of many requests, and demands that each costs little, is no fault, and that others are answered meanwhile. */
async function sendAll(all: readonly Sent[]): Promise<void> {
  const wrong: string[] = [];
  for (const one of all) {
    const statuses: number[] = [];
    const cost = await costOf(opened.db, async () => {
      statuses.push(...(await Promise.all([send(one), send({ method: 'GET', path: '/user' }, other)])));
    });
    const [status = 0, meanwhile] = statuses;
    const exceeded = Object.entries(most).filter(([name, bound]) => cost[name as keyof typeof cost] > bound);
    if (status >= 500 || meanwhile !== 200 || exceeded.length > 0)
      wrong.push(`${one.name}: ${status}, meanwhile ${meanwhile} ${JSON.stringify(cost)}`);
  }
  expect(wrong.slice(0, 20)).toEqual([]);
}

test('lists of 10,000 items in any field of any body are refused, or taken, at little cost', () =>
  sendAll(tried.flatMap(longLists)));

test('bodies as large as they may be cost little, whatever is in them', () => sendAll(tried.flatMap(largestBodies)));

test('parameters that are repeated without end, or as long as a line may be, cost little', () =>
  sendAll(tried.flatMap(repeatedParameters)));

test('a body above the limit is refused before it is read', async () => {
  const wrong: string[] = [];
  for (const { id, method, path, carries, body } of tried.filter((endpoint) => endpoint.body)) {
    const size = (carries === 'file' ? small.fileBody : small.body) + 1;
    const status = await send({ method, path: samplePath(path), body: Buffer.alloc(size, 0x20) });
    // Who may not do it, or asks for what isn't there, as for a commit of an empty repository, is told that first.
    if (body && ![413, 401, 403, 404, ...(/\{(commit_|status_)?sha\}/.test(path) ? [409, 422] : [])].includes(status))
      wrong.push(`${id}: ${status}`);
  }
  expect(wrong).toEqual([]);
});
