import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { gitLimits } from '#git/limits.ts';
import { zeroOid } from '#git/objects/oid.ts';
import { byteSource } from '#git/process/byte-source.ts';
import { findRef, listRefs } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { flushPacket, packet, parsePackets } from '#git/transport/pkt-line.ts';
import type { PushResult } from '#git/transport/push-report.ts';
import { receivePack, resultsInRefs } from '#git/transport/receive-pack.ts';
import { initialValues } from '#lib/limits.ts';
import { commit, git, kindOf, newRepo, openTransfers, scratch, serve } from './support.ts';

const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex');

/** The bytes of a push of objects that the server has already. */
function push(commands: [string, string | null, string | null][], capabilities: string, pack = emptyPack): Buffer {
  const lines = commands.map(([ref, from, to], index) =>
    packet(`${from ?? zeroOid} ${to ?? zeroOid} ${ref}${index ? '' : `\0${capabilities}`}`),
  );
  return Buffer.concat([...lines, flushPacket, pack]);
}

/** The reply's text, bands and lengths left out. */
async function textOf(reply: Promise<Readable>): Promise<string> {
  return (await buffer(await reply)).toString('latin1');
}

async function repoWithMain(): Promise<{ repo: GitRepository; oid: string }> {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: oid }]);
  return { repo, oid };
}

test.each([
  ['report-status', /^000eunpack ok\n0014ok refs\/heads\/x\n0000$/],
  ['report-status-v2', /^000eunpack ok\n0014ok refs\/heads\/x\n0000$/],
  ['report-status side-band-64k', /^[0-9a-f]{4}[^0]000eunpack ok\n0014ok refs\/heads\/x\n00000000$/],
  ['side-band-64k', /^$/],
  ['', /^$/],
])('the results are known and reported as the client asked: %j', async (capabilities, expected) => {
  const { repo, oid } = await repoWithMain();
  const after = vi.fn(async (_results: readonly PushResult[]) => undefined);
  const body = Readable.from([push([['refs/heads/x', null, oid]], capabilities)]);
  expect(await textOf(receivePack(repo, body, { after }))).toMatch(expected);
  expect(after.mock.calls).toEqual([[[{ ref: 'refs/heads/x', from: null, to: oid, ok: true }]]]);
  expect(await findRef(repo, 'refs/heads/x')).toMatchObject({ oid });
});

test('git pushes with options, which have no effect', async () => {
  const { repo, oid } = await repoWithMain();
  const { url } = await serve(repo);
  const folder = await scratch();
  await git(folder, 'clone', '--quiet', url, 'clone');
  const clone = join(folder, 'clone');
  await git(
    clone,
    'push',
    '--quiet',
    '-o',
    'ci.skip',
    '-o',
    'x'.repeat(1_000),
    'origin',
    'HEAD:refs/heads/x',
    'HEAD:refs/heads/y',
  );
  expect(await findRef(repo, 'refs/heads/y')).toMatchObject({ oid });
  await git(clone, 'push', '--quiet', '-o', 'ci.skip', 'origin', ':refs/heads/x');
  expect(await findRef(repo, 'refs/heads/x')).toBeUndefined();
});

test('options of a push count among the bytes of its refs', async () => {
  const { repo, oid } = await repoWithMain();
  const { pushRefBytes } = repo.store.limits;
  const options = Array.from({ length: Math.ceil(pushRefBytes / 60_000) }, () => packet('o'.repeat(60_000)));
  const head = push([['refs/heads/x', null, oid]], 'report-status push-options', Buffer.alloc(0));
  const reply = await textOf(receivePack(repo, Readable.from([head, ...options, flushPacket, emptyPack])));
  expect(reply).toContain('git.pushRefBytes');
  expect(await findRef(repo, 'refs/heads/x')).toBeUndefined();
});

test('a request cut into single bytes is read like any other', async () => {
  const { repo, oid } = await repoWithMain();
  const bytes = push([['refs/heads/x', null, oid]], 'report-status');
  const body = Readable.from([...bytes].map((byte) => Buffer.from([byte])));
  expect(await textOf(receivePack(repo, body))).toContain('ok refs/heads/x');
});

test('the empty request with which git probes gets an empty reply', async () => {
  const { repo } = await repoWithMain();
  expect(await textOf(receivePack(repo, Readable.from([Buffer.from('0000')])))).toBe('');
});

test.each([
  ['no packet', Buffer.from('GET / HTTP/1.1')],
  ['a length of noise', Buffer.from('zzzz')],
  ['a packet that breaks off', Buffer.from('00a0abc')],
  ['no flush', packet(`${zeroOid} ${'a'.repeat(40)} refs/heads/x\0report-status`)],
  ['a short object name', Buffer.concat([packet(`${zeroOid} abc refs/heads/x\0report-status`), flushPacket])],
  ['a delimiter', Buffer.from('0001')],
  ['a push certificate', Buffer.concat([packet('push-cert\0report-status'), flushPacket])],
  [
    'a ref named twice',
    push(
      [
        ['refs/heads/x', null, 'a'.repeat(40)],
        ['refs/heads/x', null, 'b'.repeat(40)],
      ],
      'report-status',
    ),
  ],
])('malformed: %s is refused before a reply begins', async (_name, bytes) => {
  const { repo } = await repoWithMain();
  const before = vi.fn(async () => ({}));
  expect(await kindOf(receivePack(repo, Readable.from([bytes]), { before }))).toBe('invalid');
  expect(before).not.toHaveBeenCalled();
});

test.each([
  'refs/heads/a..b',
  `refs/heads/${'a'.repeat(40)}`,
  'refs/heads/refs/heads/main',
  'HEAD',
  '--exec=x',
  'refs/pull/1/head',
  'refs/hearth/x',
])('nobody may push %s; the other refs of the push are taken', async (ref) => {
  const { repo, oid } = await repoWithMain();
  const body = Readable.from([
    push(
      [
        [ref, null, oid],
        ['refs/heads/fine', null, oid],
      ],
      'report-status',
    ),
  ]);
  const text = await textOf(receivePack(repo, body));
  expect(text).toContain(`ng ${ref} `);
  expect(text).toContain('ok refs/heads/fine');
  expect((await listRefs(repo, { prefix: 'refs/' })).rows.map(({ name }) => name)).toEqual([
    'refs/heads/fine',
    'refs/heads/main',
  ]);
});

test('an atomic push of which one ref is refused changes nothing', async () => {
  const { repo, oid } = await repoWithMain();
  const before = async () => ({ refused: new Map([['refs/heads/no', 'protected']]) });
  const body = Readable.from([
    push(
      [
        ['refs/heads/yes', null, oid],
        ['refs/heads/no', null, oid],
      ],
      'report-status atomic',
    ),
  ]);
  const text = await textOf(receivePack(repo, body, { before }));
  expect(text).toContain('ng refs/heads/yes atomic push failed');
  expect(text).toContain('ng refs/heads/no protected');
  expect(await findRef(repo, 'refs/heads/yes')).toBeUndefined();
});

test.each(['refs/pull/1/head', 'refs/hearth/x'])('an atomic push to %s, which Git hides, changes nothing', async (hidden) => {
  const { repo, oid } = await repoWithMain();
  const wanted: [string, null, string][] = [
    ['refs/heads/yes', null, oid],
    [hidden, null, oid],
  ];
  const text = await textOf(receivePack(repo, Readable.from([push(wanted, 'report-status atomic')])));
  expect(text).toContain('ng refs/heads/yes atomic push failed');
  expect(text).toContain(`ng ${hidden} the name is the server's own`);
  expect(await findRef(repo, 'refs/heads/yes')).toBeUndefined();
});

test('a ref is deleted without a pack, and the branch of HEAD is kept', async () => {
  const { repo, oid } = await repoWithMain();
  await updateRefs(repo, [{ ref: 'refs/heads/x', to: oid }]);
  const remove = (ref: string) => Readable.from([push([[ref, oid, null]], 'report-status delete-refs', Buffer.alloc(0))]);
  expect(await textOf(receivePack(repo, remove('refs/heads/x')))).toContain('ok refs/heads/x');
  expect(await textOf(receivePack(repo, remove('refs/heads/main')))).toContain('ng refs/heads/main');
  expect((await listRefs(repo, { prefix: 'refs/' })).rows.map(({ name }) => name)).toEqual(['refs/heads/main']);
});

test('an error of `before` ends the push with no reply begun, and nothing changed', async () => {
  const { repo, oid } = await repoWithMain();
  const before = async () => {
    throw new Error('not allowed');
  };
  await expect(
    receivePack(repo, Readable.from([push([['refs/heads/x', null, oid]], 'report-status')]), { before }),
  ).rejects.toThrow('not allowed');
  expect(await findRef(repo, 'refs/heads/x')).toBeUndefined();
});

test('a client never hears of success when `after` fails', async () => {
  const { repo, oid } = await repoWithMain();
  const after = async () => {
    throw new Error('no database');
  };
  const reply = await receivePack(repo, Readable.from([push([['refs/heads/x', null, oid]], 'report-status side-band-64k')]), {
    after,
  });
  const seen: Buffer[] = [];
  await expect(
    (async () => {
      for await (const chunk of reply) seen.push(chunk);
    })(),
  ).rejects.toThrow('no database');
  expect(Buffer.concat(seen).toString('latin1')).not.toContain('ok refs');
});

test('a failure is told with its reason though the client asked for no report', async () => {
  const { repo, oid } = await repoWithMain();
  const next = await commit(repo, { a: 'y' }, [oid]);
  const after = vi.fn(async (_results: readonly PushResult[]) => undefined);
  expect(await textOf(receivePack(repo, Readable.from([push([['refs/heads/main', next, oid]], '')]), { after }))).toBe('');
  expect(after.mock.calls[0]?.[0]).toMatchObject([{ ok: false, reason: expect.stringMatching(/lock|update/) }]);
});

test('what a push did can be read from the refs, when its report was lost', async () => {
  const { repo, oid } = await repoWithMain();
  const command = (ref: string, from: string | null, to: string | null) => ({ ref, from, to });
  const commands = [
    command('refs/heads/main', null, oid),
    command('refs/heads/x', null, oid),
    command('refs/heads/gone', oid, null),
  ];
  expect((await resultsInRefs(repo, commands, 'lost')).map(({ ok }) => ok)).toEqual([true, false, true]);
});

test('a body past the limit is refused while it is read', async () => {
  const source = byteSource(Readable.from([Buffer.alloc(60), Buffer.alloc(60)]), {
    maxBytes: 100,
    limits: initialValues(gitLimits),
  });
  expect(await kindOf(source.discard())).toBe('too-large');
});

test('a reply that is given up within the pack ends git', async () => {
  const { repo, oid } = await repoWithMain();
  const body = new PassThrough();
  body.write(push([['refs/heads/x', null, oid]], 'report-status side-band-64k').subarray(0, -5));
  const reply = await receivePack(repo, body);
  await new Promise((resolve) => setTimeout(resolve, 100));
  reply.destroy();
  await expect.poll(() => openTransfers(repo)).toBe(0);
  expect(await findRef(repo, 'refs/heads/x')).toBeUndefined();
});

test('a client that falls silent within its pack is cut off', async () => {
  const repo = await newRepo({ transferIdle: 150 });
  const oid = await commit(repo, { a: 'x' });
  const body = new PassThrough();
  body.write(push([['refs/heads/x', null, oid]], 'report-status side-band-64k').subarray(0, -5));
  expect(await kindOf(buffer(await receivePack(repo, body)))).toBe('timeout');
});

test('concurrent pushes of one branch: exactly one wins', async () => {
  const { repo, oid } = await repoWithMain();
  const tips = await Promise.all(Array.from({ length: 6 }, (_, index) => commit(repo, { a: String(index) }, [oid])));
  const replies = await Promise.all(
    tips.map((tip) => textOf(receivePack(repo, Readable.from([push([['refs/heads/main', oid, tip]], 'report-status')])))),
  );
  expect(replies.filter((text) => text.includes('ok refs/heads/main'))).toHaveLength(1);
  expect(replies.filter((text) => text.includes('ng refs/heads/main'))).toHaveLength(5);
});

test('duplicate tree entries are refused in a push, and none of its objects stay', async () => {
  const repo = await newRepo();
  const { url } = await serve(repo);
  const work = await scratch();
  await git(work, 'init', '-q', '-b', 'main');
  await writeFile(join(work, 'a'), 'x');
  const blob = (await git(work, 'hash-object', '-w', 'a')).trim();
  const entry = Buffer.concat([Buffer.from('100644 a\0'), Buffer.from(blob, 'hex')]);
  await writeFile(join(work, 'tree'), Buffer.concat([entry, entry]));
  const tree = (await git(work, 'hash-object', '-t', 'tree', '-w', '--literally', 'tree')).trim();
  const oid = (await git(work, 'commit-tree', '-m', 'x', tree)).trim();
  await expect(git(work, 'push', '-q', url, `${oid}:refs/heads/main`)).rejects.toThrow(/duplicateEntries/);
  expect(await listRefs(repo, { prefix: 'refs/' })).toEqual({ rows: [], total: 0 });
  expect(await git(repo.path, 'count-objects')).toMatch(/^0 objects/);
});

test('a push above the limit is refused', async () => {
  const repo = await newRepo({ push: 200_000 });
  const { url } = await serve(repo);
  const work = await scratch();
  await git(work, 'init', '-q', '-b', 'main');
  await writeFile(join(work, 'big'), randomBytes(400_000));
  await git(work, 'add', '.');
  await git(work, 'commit', '-q', '-m', 'Big');
  await expect(git(work, 'push', '-q', url, 'main')).rejects.toThrow();
  expect((await listRefs(repo, { prefix: 'refs/' })).total).toBe(0);
});

test('a gzip bomb is refused, a gzip request is read', async () => {
  const { repo, oid } = await repoWithMain();
  const bytes = push([['refs/heads/x', null, oid]], 'report-status');
  expect(await textOf(receivePack(repo, Readable.from([gzipSync(bytes)]), { gzip: true }))).toContain('ok refs/heads/x');
  const bomb = gzipSync(
    Buffer.concat([push([['refs/heads/y', null, oid]], 'report-status', Buffer.alloc(0)), Buffer.alloc(30_000_000)]),
  );
  const reply = await receivePack(repo, Readable.from([bomb]), { gzip: true });
  expect(await kindOf(buffer(reply))).toBe('too-large');
  expect(await kindOf(receivePack(repo, Readable.from([Buffer.from('not gzip')]), { gzip: true }))).toBe('invalid');
  expect(await findRef(repo, 'refs/heads/y')).toBeUndefined();
});

test.runIf(process.platform === 'linux')(
  'a client that goes away within its pack changes nothing, and its git ends',
  async () => {
    const { repo, oid } = await repoWithMain();
    const after = vi.fn(async () => undefined);
    const { url } = await serve(repo, { after });
    const bytes = push([['refs/heads/x', null, oid]], 'report-status side-band-64k');
    const client = httpRequest(`${url}/git-receive-pack`, { method: 'POST', headers: { 'content-length': 1_000_000 } });
    client.on('error', () => undefined);
    client.write(bytes.subarray(0, -5));
    await expect.poll(() => openTransfers(repo)).toBe(1);
    client.destroy();
    await expect.poll(() => openTransfers(repo)).toBe(0);
    expect(await findRef(repo, 'refs/heads/x')).toBeUndefined();
    expect(after).not.toHaveBeenCalled();
  },
);

test('a client that goes away after its pack only misses the report', async () => {
  const { repo, oid } = await repoWithMain();
  const body = new PassThrough();
  const told = Promise.withResolvers<readonly PushResult[]>();
  const reply = await (async () => {
    body.end(push([['refs/heads/x', null, oid]], 'report-status side-band-64k'));
    return receivePack(repo, body, { after: async (results) => told.resolve(results) });
  })();
  await new Promise((resolve) => body.once('close', resolve));
  reply.destroy();
  expect(await told.promise).toMatchObject([{ ref: 'refs/heads/x', ok: true }]);
  expect(await findRef(repo, 'refs/heads/x')).toMatchObject({ oid });
});

test('packets of the progress band pass, those of the report are read', () => {
  expect(parsePackets(Buffer.concat([packet('\x02hi'), flushPacket]))).toHaveLength(2);
});
