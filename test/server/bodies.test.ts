import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const limits = {
  body: 20_000,
  fileBody: 100_000,
  bodiesTogether: 200_000,
  bodiesPerCaller: 110_000,
  bodyTime: 2_000,
  bodyRate: 20_000,
  bodyValues: 3_000,
  concurrentPerCaller: 2,
  waitingTime: 800,
  discarded: 200_000,
  discardTime: 300,
  formBody: 500,
};
const { user, repo, as, url, token, db } = await world({ resourceLimits: { requests: limits } });
const ada = await user('ada');
const bob = await user('bob');
await repo(ada, { name: 'engine' });
await repo(bob, { name: 'pump' });
const [ofAda, ofBob] = await Promise.all([as(ada), as(bob)]);
const tokens = { ada: await token(ada), bob: await token(bob) };
await ofAda.put('/repos/ada/engine/contents/a', { message: 'First', content: 'YQ==' });
await ofBob.put('/repos/bob/pump/contents/a', { message: 'First', content: 'YQ==' });

const { hostname, port } = new URL(url);

/** A connection whose bytes are written by hand. */
type Connection = { socket: Socket; told: () => string; closed: Promise<void> };

async function open(first: string): Promise<Connection> {
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  socket.on('error', () => undefined); // the server closes what it refuses
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  socket.on('close', () => resolve());
  await once(socket, 'connect');
  socket.write(first);
  return { socket, told: () => text, closed };
}

const head = (method: string, path: string, headers: Record<string, string | number>): string =>
  `${[
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n')}\r\n\r\n`;
const blobs = '/api/v3/repos/ada/engine/git/blobs';
const by = (who: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[who]}` });
const statusOf = ({ told }: Connection): string => told().slice(9, 12);
const answered = (connection: Connection) => expect.poll(() => statusOf(connection));

test('whoever may not send a body is answered before it came, and then cut off', async () => {
  const path = '/api/v3/repos/ada/engine/git/blobs';
  const strangers = [{}, { authorization: 'Bearer hrp_wrong' }, by('bob')];
  for (const [at, headers] of strangers.entries()) {
    const connection = await open(head('POST', path, { ...headers, 'content-length': 99_000 }));
    await answered(connection).toBe(['401', '401', '403'][at]);
    expect(connection.told().toLowerCase()).toContain('connection: close');
    await connection.closed;
  }
});

test('a body that is announced to be too large is refused before it came', async () => {
  const connection = await open(head('POST', blobs, { ...by('ada'), 'content-length': 100_001 }));
  await connection.closed;
  expect(statusOf(connection)).toBe('413');
  expect(connection.told()).toContain('100000 bytes are allowed (requests.fileBody)');
});

test('a body that turns out to be too large is refused while it comes, and what is taken of the rest is bounded', async () => {
  const connection = await open(head('PATCH', '/api/v3/user', { ...by('ada'), 'transfer-encoding': 'chunked' }));
  const part = `10000\r\n${' '.repeat(65_536)}\r\n`;
  let sent = 0;
  const write = (): void => {
    for (let more = !connection.socket.destroyed; more && sent < 50e6; sent += part.length) more = connection.socket.write(part);
  };
  connection.socket.on('drain', write);
  write();
  await connection.closed;
  expect(statusOf(connection)).toBe('413');
  expect(connection.told()).toContain('20000 bytes are allowed (requests.body)');
  // What the two sides of the connection hold in between comes to a few megabytes.
  expect(sent).toBeLessThan(20e6);
});

test('a body that comes too slowly is refused, and one at the least rate is not', async () => {
  const slow = await open(`${head('POST', blobs, { ...by('ada'), 'content-length': 500 })}{"content"`);
  const steady = await open(`${head('POST', blobs, { ...by('ada'), 'content-length': 90_014 })}{"content":"`);
  for (let at = 0; at < 9; at++) {
    await new Promise((resolve) => setTimeout(resolve, 300)); // 33 KB a second, for longer than `bodyTime`
    steady.socket.write('a'.repeat(10_000));
  }
  steady.socket.write('"}');
  await slow.closed;
  expect(statusOf(slow)).toBe('408');
  expect(slow.told()).toContain('requests.bodyTime');
  await answered(steady).toBe('201');
  steady.socket.destroy();
});

test('bodies that come slowly hold none of the places in which requests are answered', async () => {
  const slow = await Promise.all(
    Array.from({ length: 5 }, () => open(`${head('PATCH', '/api/v3/user', { ...by('ada'), 'content-length': 50 })}{`)),
  );
  const replies = await Promise.all(Array.from({ length: 4 }, () => ofAda.get('/user')));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const { socket } of slow) socket.destroy();
});

test('bodies wait for the bytes that others hold, within the time for waiting; other callers have their own share', async () => {
  const half = await open(head('POST', blobs, { ...by('ada'), 'content-length': 99_000, expect: '100-continue' }));
  await answered(half).toBe('100'); // now it holds its bytes
  const content = 'a'.repeat(19_000);
  const send = (): Promise<Response> =>
    fetch(`${url}${blobs}`, { method: 'POST', headers: by('ada'), body: JSON.stringify({ content }) });
  const waiting = send();
  const small = ofAda.post('/repos/ada/engine/git/blobs', { content: 'few bytes' });
  expect((await ofBob.post('/repos/bob/pump/git/blobs', { content })).status).toBe(201);
  expect((await small).status).toBe(201);
  const refused = await waiting;
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  const next = send();
  half.socket.destroy();
  expect((await next).status).toBe(201);
});

test('a client that asks is told to send its body once it was let in', async () => {
  const expecting = { 'content-length': 14, expect: '100-continue' };
  const refused = await open(head('POST', blobs, expecting));
  await refused.closed;
  expect(refused.told()).toMatch(/^HTTP\/1.1 401 /);
  const taken = await open(head('POST', blobs, { ...by('ada'), ...expecting }));
  await expect.poll(taken.told).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  taken.socket.write('{"content":""}');
  await expect.poll(taken.told).toContain('HTTP/1.1 201 Created');
  taken.socket.destroy();
});

test('after a small body that was refused, the connection goes on', async () => {
  const post = (body: string) => `${head('POST', '/api/v3/user/repos', { 'content-length': body.length })}${body}`;
  const broken = '{"name":nothing}';
  const malformed = `${head('PATCH', '/api/v3/user', { ...by('ada'), 'content-length': broken.length })}${broken}`;
  const connection = await open(`${post('{"name":"a"}')}${malformed}${head('GET', '/api/v3/user', by('ada'))}`);
  await expect.poll(connection.told).toMatch(/401 Unauthorized[\s\S]*400 Bad Request[\s\S]*HTTP\/1.1 200 OK/);
  connection.socket.destroy();
});

test.each(['GET', 'DELETE', 'POST'])('a body that no endpoint reads (%s) does not go on for ever', async (method) => {
  const path = method === 'POST' ? '/api/v3/nowhere' : '/api/v3/repos/ada/engine/labels/none';
  const connection = await open(head(method, path, { ...by('ada'), 'transfer-encoding': 'chunked' }));
  const timer = setInterval(() => connection.socket.write(`100\r\n${' '.repeat(256)}\r\n`), 5);
  await connection.closed;
  clearInterval(timer);
  expect(statusOf(connection)).toBe('404');
});

test('a compressed body is refused', async () => {
  const headers = { ...by('ada'), 'content-encoding': 'gzip' };
  const reply = await fetch(`${url}/api/v3/user`, { method: 'PATCH', headers, body: gzipSync('{"bio":"a"}') });
  expect([reply.status, ((await reply.json()) as { message: string }).message]).toEqual([415, 'The body must not be compressed']);
  const plain = await fetch(`${url}/api/v3/user`, {
    method: 'PATCH',
    headers: { ...headers, 'content-encoding': 'identity' },
    body: '{}',
  });
  expect(plain.status).toBe(200);
});

test('a body that is not UTF-8 is refused, and one without letters is empty', async () => {
  const send = async (body: string | Buffer) =>
    (await fetch(`${url}/api/v3/user`, { method: 'PATCH', headers: by('ada'), body })).status;
  expect(await send(Buffer.from('{"bio":"\xff"}', 'latin1'))).toBe(400);
  expect(await send(' \r\n')).toBe(200);
});

test('values of a body are counted', async () => {
  const reply = await ofAda.patch('/user', `{"unknown":[${'1,'.repeat(3_000)}1]}`);
  expect(reply).toMatchObject({ status: 413, body: { message: 'The body holds more than 3000 values (requests.bodyValues)' } });
});

test('a form of OAuth has its own limit, and is read to its end', async () => {
  const send = (body: string, type: string) =>
    fetch(`${url}/login/oauth/access_token`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': type },
      body,
    });
  const asked = await send('{"client_id":"none"}', 'application/json');
  expect(await asked.json()).toMatchObject({ error: 'incorrect_client_credentials' });
  expect((await send(`client_id=${'a'.repeat(500)}`, 'application/x-www-form-urlencoded')).status).toBe(413);
  const slow = await open(`${head('POST', '/login/device/code', { 'content-length': 100 })}client_id=`);
  await slow.closed;
  expect(statusOf(slow)).toBe('408');
});

test('a reply names a bounded number of wrong fields, and names no longer than they need to be', async () => {
  const labels = Array.from({ length: 60 }, () => ({}));
  const many = await ofAda.post('/repos/ada/engine/issues', { title: 'a', labels });
  expect(many.status).toBe(422);
  expect(many.body.errors).toHaveLength(20);
  expect(many.body.errors[3]).toEqual({ resource: 'Issue', field: 'labels.3.name', code: 'missing_field' });
  const huge = await ofAda.post('/repos/ada/engine/issues', { title: 'a', labels: Array.from({ length: 2_900 }, () => []) });
  expect(huge).toMatchObject({ status: 422, body: { errors: [{ field: 'labels', code: 'invalid' }] } });
});

const twice = (value: unknown): unknown[] => [value, value];
test.each([
  [
    'labels that are too long',
    'POST',
    '/repos/ada/engine/issues',
    { title: 'a', labels: ['x'.repeat(5_000), 'y'.repeat(5_000)] },
  ],
  ['labels that are numbers', 'POST', '/repos/ada/engine/issues', { title: 'a', labels: [1, 2] }],
  [
    'labels with names that are too long',
    'POST',
    '/repos/ada/engine/issues',
    { title: 'a', labels: twice({ name: 'x'.repeat(60) }) },
  ],
  [
    'fields without a value',
    'POST',
    '/repos/ada/engine/issues',
    { title: 'a', issue_field_values: twice({ field_id: 1, value: {} }) },
  ],
  [
    'entries of a tree that are no names of objects',
    'POST',
    '/repos/ada/engine/git/trees',
    { tree: twice({ path: 'a', mode: '100644', sha: '\n\u0001raw' }) },
  ],
  [
    'parents that are no names of objects',
    'POST',
    '/repos/ada/engine/git/commits',
    { message: 'a', tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', parents: ['x\nauthor', 'y'] },
  ],
])('two wrong items of a list are refused as one is: %s', async (_what, method, path, body) => {
  const before = await Promise.all([
    db.selectFrom('labels').selectAll().execute(),
    db.selectFrom('issues').selectAll().execute(),
  ]);
  const reply = await ofAda[method === 'POST' ? 'post' : 'patch'](path, body);
  expect(reply.status).toBe(422);
  expect(reply.body.errors.length).toBeGreaterThan(0);
  const after = await Promise.all([db.selectFrom('labels').selectAll().execute(), db.selectFrom('issues').selectAll().execute()]);
  expect(after).toEqual(before);
});

test('unknown fields inside of others do not reach what is stored', async () => {
  const body = {
    message: 'A commit',
    content: 'Yg==',
    author: { name: 'A', email: 'a@example.com', signature: 'x\n\ny', zone: 'raw' },
  };
  const reply = await ofAda.put('/repos/ada/engine/contents/b', body);
  expect(reply).toMatchObject({ status: 201, body: { commit: { author: { name: 'A', email: 'a@example.com' } } } });
});
