// A body may arrive for minutes. Access that ends meanwhile has ended.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world();
const owner = await here.user();
const asOwner = await here.as(owner);
const admin = await here.as(await here.user(fresh('admin'), { site_admin: true }));
const { hostname, port } = new URL(here.url);

/** A repository of an organization, and somebody who administers it. */
async function makeStage() {
  const org = await here.org(owner);
  const repo = await here.repo(org, { visibility: 'private', by: owner });
  const mia = await here.user();
  await here.collaborator(repo, mia, 'admin');
  return { mia, path: `/repos/${org.login}/${repo.name}` };
}
type Stage = Awaited<ReturnType<typeof makeStage>>;

/** Sends a request whose last byte waits until the access was decided and `meanwhile` has happened. Returns the status. */
async function send(
  by: Account,
  { method, path, type = 'application/json', body }: Sent,
  meanwhile: () => Promise<unknown>,
): Promise<string> {
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const ended = once(socket, 'close');
  const headers = {
    host: 'localhost',
    authorization: `Bearer ${await here.token(by)}`,
    'content-type': type,
    'content-length': body.length,
    expect: '100-continue',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${[`${method} /api/v3${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
  await expect.poll(() => text).toContain('100 Continue');
  socket.write(body.slice(0, -1));
  await meanwhile();
  here.clock.now = new Date(here.clock.now.getTime() + 10_000);
  socket.write(body.slice(-1));
  await ended;
  return /HTTP\/1\.1 ([2-5]\d\d)/.exec(text)?.[1] ?? text;
}

type Sent = { method: string; path: string; type?: string; body: string };

const requests: Record<string, (stage: Stage) => Promise<Sent>> = {
  'an invitation of somebody else': async ({ path }) => ({
    method: 'PUT',
    path: `${path}/collaborators/${(await here.user()).login}`,
    body: JSON.stringify({ permission: 'admin' }),
  }),
  'a file': async ({ path }) => ({
    method: 'PUT',
    path: `${path}/contents/a.txt`,
    body: JSON.stringify({ message: 'm', content: 'YQ==' }),
  }),
  'an asset of a release': async ({ path }) => {
    await asOwner.put(`${path}/contents/first.txt`, { message: 'm', content: 'YQ==' });
    const { body } = await asOwner.post(`${path}/releases`, { tag_name: 'v1' });
    return { method: 'POST', path: `${path}/releases/${body.id}/assets?name=a.bin`, type: 'text/plain', body: 'abc' };
  },
};

test.each(Object.entries(requests))('%s comes to nothing where the right to it ends while it arrives', async (_, make) => {
  const stage = await makeStage();
  const request = await make(stage);
  const leave = () => asOwner.delete(`${stage.path}/collaborators/${stage.mia.login}`);
  expect(await send(stage.mia, request, leave)).toBe('404');
});

test('a suspended account does nothing more by a request that it had begun', async () => {
  const stage = await makeStage();
  const request = await requests['a file']?.(stage);
  if (!request) throw new Error('There is such a request');
  expect(await send(stage.mia, request, () => admin.put(`/users/${stage.mia.login}/suspended`))).toBe('403');
});

test('a lower role counts for what is still arriving', async () => {
  const stage = await makeStage();
  const request = await requests['an invitation of somebody else']?.(stage);
  if (!request) throw new Error('There is such a request');
  const lower = () => asOwner.put(`${stage.path}/collaborators/${stage.mia.login}`, { permission: 'push' });
  expect(await send(stage.mia, request, lower)).toBe('403');
});

test.each(Object.entries(requests))('%s is taken, however slowly it arrives', async (_, make) => {
  const stage = await makeStage();
  expect(await send(stage.mia, await make(stage), async () => undefined)).toBe('201');
});
