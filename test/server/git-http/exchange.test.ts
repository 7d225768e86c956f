import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { zeroOid } from '#git/objects/oid.ts';
import { findRef, listRefs } from '#git/refs/refs.ts';
import { flushPacket, packet } from '#git/transport/pkt-line.ts';
import { git, scratch } from '#test/git/support.ts';
import { diskOf, told, unfinished } from '#test/resources/code/pushes/support.ts';
import { addressOf, change, complaint, contents, head, owned, workTree } from './support.ts';

test('what is pushed is cloned byte for byte, its history, branches and tags', async () => {
  const { repo, address, here } = await owned();
  const folder = await workTree({ 'a.txt': 'a\r\n', 'deep/b.bin': randomBytes(5_000).toString('latin1'), 'c\u00e9.txt': '' });
  await change(folder, { 'a.txt': 'b' });
  await git(folder, 'tag', '-a', 'v1', '-m', 'One');
  await git(folder, 'branch', 'topic/x', 'HEAD~1');
  await git(folder, 'push', '-q', address, '--all');
  await git(folder, 'push', '-q', address, '--tags');

  const copy = join(await scratch(), 'copy.git');
  await git('/', 'clone', '-q', '--mirror', addressOf(here, repo), copy);

  expect(await contents(copy)).toBe(await contents(folder));
  expect(await head(copy)).toBe(await head(folder));
});

test('10,000 files are pushed and cloned', async () => {
  const { address } = await owned();
  const folder = await scratch();
  await git(folder, 'init', '-q', '-b', 'main');
  const files = Array.from({ length: 10_000 }, (_, number) => [
    `d${number % 100}/f${number}.txt`,
    `${number} ${randomBytes(20).toString('hex')}\n`,
  ]);
  await change(folder, Object.fromEntries(files));
  const exchange = async (remote: string) => {
    const copy = await scratch();
    const begun = performance.now();
    await git(folder, 'push', '-q', remote, 'main');
    await git(copy, 'clone', '-q', '--bare', remote, '.');
    return { copy, took: performance.now() - begun };
  };
  const bare = await scratch();
  await git(bare, 'init', '-q', '--bare');
  const alone = await exchange(bare);
  const served = await exchange(address);
  expect(await contents(served.copy)).toBe(await contents(folder));
  // It takes less than Git alone does; a command for each file would take ten times as long.
  expect(served.took).toBeLessThan(5 * alone.took);
});

test.each(['0', '1', '2'])('protocol %s clones, fetches what is new, and clones shallowly', async (version) => {
  const { here, repo, address } = await owned();
  const folder = await workTree();
  const first = await head(folder);
  const second = await change(folder, { b: 'b' });
  await git(folder, 'push', '-q', address, 'main');
  const protocol = ['-c', `protocol.version=${version}`];
  const copy = await scratch();
  await git(copy, ...protocol, 'clone', '-q', addressOf(here, repo), '.');
  const third = await change(folder, { c: 'c' });
  await git(folder, 'push', '-q', address, 'main');

  await git(copy, ...protocol, 'fetch', '-q');
  expect(await head(copy, 'origin/main')).toBe(third);
  const shallow = await scratch();
  await git(shallow, ...protocol, 'clone', '-q', '--depth', '2', addressOf(here, repo), '.');
  expect((await git(shallow, 'rev-list', 'HEAD')).trim().split('\n')).toEqual([third, second]);
  await git(shallow, ...protocol, 'fetch', '-q', '--unshallow');
  expect((await git(shallow, 'rev-list', 'HEAD')).trim().split('\n')).toEqual([third, second, first]);
});

test('branches and tags are pushed, forced and deleted, and each is told of', async () => {
  const { here, ada, repo, address } = await owned();
  const folder = await workTree();
  const first = await head(folder);
  await git(folder, 'push', '-q', address, 'main', 'main:topic');
  await git(folder, 'tag', 'v1');
  await git(folder, 'push', '-q', address, 'v1');
  await git(folder, 'commit', '-q', '--amend', '-m', 'Otherwise');
  const other = await head(folder);
  expect(await complaint(folder, 'push', address, 'main')).toContain('rejected');
  await git(folder, 'push', '-q', '--force', address, 'main');
  await git(folder, 'push', '-q', address, '--delete', 'topic');
  expect(await complaint(folder, 'push', address, '--delete', 'main')).toContain('deletion of the current branch prohibited');

  const push = (ref: string, before: string | null, after: string | null, forced = false) => ({
    kind: 'push',
    actor: ada.id,
    data: { moves: [{ ref, before, after, forced }] },
  });
  const made = (ref: string) => ({ kind: 'create', actor: ada.id, data: { ref, oid: first } });
  expect(await told(here, repo)).toEqual([
    made('refs/heads/main'),
    push('refs/heads/main', null, first),
    made('refs/heads/topic'),
    push('refs/heads/topic', null, first),
    made('refs/tags/v1'),
    push('refs/tags/v1', null, first),
    push('refs/heads/main', first, other, true),
    { kind: 'delete', actor: ada.id, data: { ref: 'refs/heads/topic', oid: first } },
    push('refs/heads/topic', first, null),
  ]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('the first branch that is pushed becomes the default branch, and a clone checks it out', async () => {
  const { here, repo, address, ada } = await owned();
  const folder = await workTree({ a: 'a' });
  await git(folder, 'push', '-q', address, 'main:trunk');
  const client = await here.as(ada);
  expect((await client.get(`/repos/${ada.login}/${repo.name}`)).body).toMatchObject({ default_branch: 'trunk' });
  const copy = await scratch();
  await git(copy, 'clone', '-q', address, '.');
  expect((await git(copy, 'symbolic-ref', '--short', 'HEAD')).trim()).toBe('trunk');
});

test('of pushes to one branch at once exactly one wins', async () => {
  const { here, repo, address } = await owned();
  const folder = await workTree();
  await git(folder, 'push', '-q', address, 'main');
  const base = await head(folder);
  const rivals = await Promise.all(
    [1, 2, 3, 4].map(async (number) => {
      const copy = await scratch();
      await git(copy, 'clone', '-q', address, '.');
      return { copy, oid: await change(copy, { [`${number}`]: '' }) };
    }),
  );
  const outcomes = await Promise.allSettled(rivals.map(({ copy }) => git(copy, 'push', '-q', 'origin', 'main')));

  const winners = rivals.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  expect(winners).toHaveLength(1);
  expect(await findRef(diskOf(here, repo), 'refs/heads/main')).toMatchObject({ oid: winners[0]?.oid });
  expect((await told(here, repo)).slice(2)).toMatchObject([{ data: { moves: [{ before: base, after: winners[0]?.oid }] } }]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('an atomic push of which one ref is refused moves none', async () => {
  const { here, repo, address } = await owned();
  const folder = await workTree();
  await complaint(folder, 'push', '--atomic', address, 'main', 'main:refs/heads/HEAD');
  expect((await listRefs(diskOf(here, repo), { prefix: 'refs/' })).total).toBe(0);
  expect(await told(here, repo)).toEqual([]);
});

test('a push that breaks off changes nothing and leaves nothing unfinished', async () => {
  const { here, repo, token } = await owned();
  const url = new URL(addressOf(here, repo));
  const body = Buffer.concat([
    packet(`${zeroOid} ${'a'.repeat(40)} refs/heads/main\0report-status`),
    flushPacket,
    Buffer.from('PACK\0\0\0\u0002\0\0\0\u0009'),
    randomBytes(10_000),
  ]);
  await new Promise<void>((resolve) => {
    const request = httpRequest(`${url}/git-receive-pack`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/x-git-receive-pack-request',
        'content-length': body.length + 1_000_000,
      },
    });
    request.once('error', () => undefined).once('close', resolve);
    request.write(body, () => setTimeout(() => request.destroy(), 100));
  });
  await expect.poll(() => unfinished(here, repo)).toEqual([]);
  expect((await listRefs(diskOf(here, repo), { prefix: 'refs/' })).total).toBe(0);
  expect(await told(here, repo)).toEqual([]);
});

test('a client that says it pushes and then says nothing is cut off', async () => {
  const { here, repo, token } = await owned();
  const limits: { transferIdle: number } = here.hearth.services.git.limits;
  const usual = limits.transferIdle;
  limits.transferIdle = 200;
  onTestFinished(() => {
    limits.transferIdle = usual;
  });
  const outcome = new Promise((resolve) => {
    const request = httpRequest(`${addressOf(here, repo)}/git-receive-pack`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-git-receive-pack-request' },
    });
    request.once('error', (error) => resolve(error.message)).once('response', ({ statusCode }) => resolve(statusCode));
    request.write('00');
  });
  expect(await outcome).toBe('socket hang up');
});

test.each([
  ['no content type', {}, '0000', 415],
  ['JSON', { 'content-type': 'application/json' }, '{}', 415],
  ['another packing', { 'content-encoding': 'br' }, '0000', 415],
  ['noise', {}, 'noise', 400],
  ['what only claims to be gzip', { 'content-encoding': 'gzip' }, 'noise', 400],
  ['a gzip’d probe', { 'content-encoding': 'gzip' }, gzipSync('0000'), 200],
])('a push of %s is answered by %#', async (name, headers, body, status) => {
  const { here, repo, token } = await owned();
  const response = await fetch(`${addressOf(here, repo)}/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(name === 'no content type' ? {} : { 'content-type': 'application/x-git-receive-pack-request' }),
      ...headers,
    },
    body,
  });
  expect(response.status).toBe(status);
});

test('a client of the old, dumb protocol is told to upgrade', async () => {
  const { here, repo } = await owned();
  const response = await fetch(`${addressOf(here, repo)}/info/refs`);
  expect(response.status).toBe(403);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await response.text()).toContain('upgrade your Git client');
});
