import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { s3Server } from '#test/support/s3-server.ts';
import { world } from '#test/support/world.ts';

type Line = { level: number; msg: string; err?: { type: string; message: string; name: string } };

const s3 = await s3Server();
const here = await world();
const ada = await here.user();
const repo = await here.repo(ada);
const client = await here.as(ada);
const path = `/repos/${ada.login}/${repo.name}`;
const { body: release } = await client.post(`${path}/releases`, { tag_name: 'v1', draft: true });
const authorization = `Bearer ${await here.token(ada)}`;

/** A server whose files are in the bucket that the settings name, its log, and what clients ask of it. */
async function opened(settings: Partial<typeof s3.settings> = {}) {
  const lines: Line[] = [];
  const log = pino({ level: 'info' }, { write: (text: string) => void lines.push(JSON.parse(text)) });
  const { app } = await here.another({ log, objects: { ...s3.settings, checkEvery: 0, timeout: 500, ...settings } });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    failures: () => lines.filter(({ msg }) => msg === 'the bucket failed'),
    async upload() {
      const headers = { authorization, 'content-type': 'text/plain' };
      const address = `${url}/api/v3${path}/releases/${release.id}/assets?name=${Math.random()}.txt`;
      return (await fetch(address, { method: 'POST', headers, body: 'bytes' })).status;
    },
    async ready() {
      const reply = await fetch(`${url}/readyz`);
      return [reply.status, (await reply.text()).trim()];
    },
  };
}

const notReady = [503, 'the store of files cannot be read'];

test('a bucket that works leaves no line in the log', async () => {
  const { ready, upload, failures } = await opened();
  expect([await ready(), await upload(), failures()]).toEqual([[200, 'ok'], 201, []]);
});

test.each([
  ['NoSuchBucket', { at: { ...s3.settings.at, bucket: 'another' } }, undefined],
  ['SignatureDoesNotMatch', { secretAccessKey: 'another' }, undefined],
  ['AccessDenied', {}, 'AccessDenied'],
  ['InternalError', {}, 503],
  ['OutboundError', {}, 'hang'],
] as const)(
  'a bucket that is lost by %s is 503 with a line in the log, and the server is not ready',
  async (name, settings, how) => {
    const { ready, upload, failures } = await opened(settings);
    onTestFinished(() => s3.fail(() => false, 500, 0));
    if (how) s3.fail(() => true, how, 100);
    expect(await upload()).toBe(503);
    expect(failures()).toEqual([expect.objectContaining({ level: 50, err: expect.objectContaining({ name }) })]);
    expect(await ready()).toEqual(notReady);
  },
);

test('a server is ready again once its bucket is back', async () => {
  const { ready } = await opened();
  s3.fail(() => true, 'AccessDenied', 1);
  expect(await ready()).toEqual(notReady);
  expect(await ready()).toEqual([200, 'ok']);
});

test('the bucket is asked once for many questions whether the server is ready', async () => {
  const { ready } = await opened({ checkEvery: 600_000 });
  const before = s3.requests.length;
  for (let asked = 0; asked < 20; asked++) expect(await ready()).toEqual([200, 'ok']);
  expect(s3.requests.length - before).toBe(1);
});
