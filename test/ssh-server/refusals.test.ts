import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { fresh } from '#test/support/world.ts';
import { hasOpenSsh, type KeyFile, type Ran, sshWorld } from './support.ts';

const { here, ssh, git, run, options, keyFile, address, folder } = await sshWorld();
type Repo = RepositoryRow & { owner: Account };

async function userWithKey(): Promise<{ user: Account; key: KeyFile }> {
  const [user, key] = [await here.user(), keyFile()];
  await (await here.as(user)).post('/user/keys', { key: key.line });
  return { user, key };
}

async function deployKey(repo: Repo, read_only: boolean): Promise<KeyFile> {
  const key = keyFile();
  const made = await (await here.as(repo.owner)).post(`/repos/${repo.owner.login}/${repo.name}/keys`, {
    key: key.line,
    read_only,
  });
  expect(made.status).toBe(201);
  return key;
}

/** A clone with one commit. */
async function working(): Promise<string> {
  const work = join(folder, fresh('work'));
  mkdirSync(work);
  const { key } = await userWithKey();
  await git(key, ['init', '-q', '-b', 'main'], { cwd: work });
  writeFileSync(join(work, 'a'), 'one\n');
  await git(key, ['add', '.'], { cwd: work });
  await git(key, ['commit', '-qm', 'one'], { cwd: work });
  return work;
}

const at = (repo: Repo): string => address(repo.owner.login, repo.name);
const read = (key: KeyFile, repo: Repo): Promise<Ran> => git(key, ['ls-remote', at(repo)]);
const push = async (key: KeyFile, repo: Repo, ...refs: string[]): Promise<Ran> =>
  git(key, ['push', at(repo), ...(refs.length > 0 ? refs : [`main:${fresh('branch')}`])], { cwd: await working() });

const works = { code: 0 };
const refused = (message: string) => ({ code: expect.not.toBeOneOf([0]), err: expect.stringContaining(`ERROR: ${message}`) });
const missing = refused('Repository not found.');

test.skipIf(!hasOpenSsh)('who may fetch and push: as over HTTP', async () => {
  const { user: owner, key } = await userWithKey();
  const { key: stranger } = await userWithKey();
  const { user: reader, key: readers } = await userWithKey();
  const secret = await here.repo(owner, { visibility: 'private' });
  const open = await here.repo(owner);
  await here.collaborator(secret, reader, 'read');
  const name = `${owner.login}/${secret.name}`;
  const cases: [string, KeyFile, Repo, 'read' | 'push', object][] = [
    ['the owner', key, secret, 'read', works],
    ['the owner', key, secret, 'push', works],
    ['a stranger, to a private one', stranger, secret, 'read', missing],
    ['a stranger, to a private one', stranger, secret, 'push', missing],
    ['a stranger, to a public one', stranger, open, 'read', works],
    ['a stranger, to a public one', stranger, open, 'push', refused(`${owner.login}/${open.name}: Must have push access`)],
    ['a reader', readers, secret, 'read', works],
    ['a reader', readers, secret, 'push', refused(`${name}: Must have push access`)],
    ['nobody finds what is not there', key, { ...secret, name: 'nothing' }, 'read', missing],
    ['nor a wiki', key, { ...secret, name: `${secret.name}.wiki` }, 'read', missing],
  ];
  for (const [who, by, repo, what, expected] of cases)
    expect(await (what === 'read' ? read(by, repo) : push(by, repo)), `${who}: ${what}`).toMatchObject(expected);
});

test.skipIf(!hasOpenSsh)('a deploy key reaches its repository alone, and pushes unless it is read-only', async () => {
  const owner = await here.user();
  const client = await here.as(owner);
  const [repo, other] = [await here.repo(owner, { visibility: 'private' }), await here.repo(owner, { visibility: 'private' })];
  const open = await here.repo(owner);
  const [reads, writes] = [await deployKey(repo, true), await deployKey(repo, false)];
  expect(await ssh(reads)).toMatchObject({ code: 1, err: expect.stringContaining(`Hi ${owner.login}/${repo.name}!`) });
  expect(await read(reads, repo)).toMatchObject(works);
  expect(await push(reads, repo)).toMatchObject(
    refused(`${owner.login}/${repo.name}: The key you are authenticating with has been marked as read only.`),
  );
  expect(await push(writes, repo, 'main')).toMatchObject(works);
  const { rows } = await here.db
    .selectFrom('events')
    .select('actor_id')
    .where('repository_id', '=', repo.id)
    .where('kind', '=', 'push')
    .execute()
    .then((rows) => ({ rows }));
  expect(rows).toEqual([{ actor_id: owner.id }]);
  for (const key of [reads, writes]) {
    expect(await read(key, other)).toMatchObject(missing);
    expect(await push(key, other)).toMatchObject(missing);
    expect(await read(key, open)).toMatchObject(works);
    expect((await push(key, open)).code).not.toBe(0);
  }
  const path = `/repos/${owner.login}/${repo.name}/keys`;
  const [first] = (await client.get(path)).body;
  expect(first.last_used).toBe('2026-01-01T00:00:00Z');
  await client.patch(`/repos/${owner.login}/${repo.name}`, { archived: true });
  expect(await read(writes, repo)).toMatchObject(works);
  expect(await push(writes, repo)).toMatchObject(
    refused(`${owner.login}/${repo.name}: Repository was archived so is read-only.`),
  );
  await client.delete(`/repos/${owner.login}/${repo.name}`);
  expect(await ssh(writes)).toMatchObject({ code: 255, err: expect.stringContaining('Permission denied') });
});

test.skipIf(!hasOpenSsh)('a suspended account, and one whose key is removed during its connection, are refused', async () => {
  const { user, key } = await userWithKey();
  const repo = await here.repo(user);
  const socket = join(folder, fresh('m'));
  const shared = ['-o', `ControlPath=${socket}`];
  // One connection for several commands, which each look the key up.
  await run('ssh', [
    ...options(key, [...shared, '-o', 'ControlMaster=yes', '-o', 'ControlPersist=60']),
    '-f',
    '-N',
    'git@127.0.0.1',
  ]);
  const command = [`git-upload-pack '${user.login}/${repo.name}.git'`];
  expect(await ssh(undefined, command, shared, { input: '0000' })).toMatchObject(works);
  await here.db.updateTable('accounts').set({ suspended_at: here.clock.now }).where('id', '=', user.id).execute();
  expect(await ssh(undefined, command, shared)).toMatchObject(refused('Sorry. Your account was suspended.'));
  await here.db.updateTable('accounts').set({ suspended_at: null }).where('id', '=', user.id).execute();
  await here.db.deleteFrom('public_keys').where('user_id', '=', user.id).execute();
  expect(await ssh(undefined, command, shared)).toMatchObject(refused('The key that you came with was removed'));
  await run('ssh', ['-F', '/dev/null', ...shared, '-O', 'exit', 'git@127.0.0.1']);
});

test.skipIf(!hasOpenSsh)('nothing but Git is offered', async () => {
  const { user, key } = await userWithKey();
  const repo = await here.repo(user);
  const onlyGit = refused('Only Git can be used here');
  for (const command of ['ls', 'git-upload-archive x/y', 'scp -t /tmp', `git-upload-pack '${user.login}/${repo.name}'; id`, 'sh'])
    expect(await ssh(key, [command]), command).toMatchObject(onlyGit);
  expect(await ssh(key, ['sftp'], ['-s'])).toMatchObject({ code: 255, err: expect.stringContaining('subsystem request failed') });
  const terminal = await run('ssh', [...options(key), '-tt', 'git@127.0.0.1']);
  expect(terminal).toMatchObject({ code: 255, err: expect.stringContaining('PTY allocation request failed') });
  const forwarded = await ssh(key, [], ['-o', 'ExitOnForwardFailure=yes', '-R', '0:127.0.0.1:1']);
  expect(forwarded).toMatchObject({ code: 255, err: expect.stringContaining('remote port forwarding failed') });
  const through = await ssh(key, [], ['-W', '127.0.0.1:1']);
  expect(through).toMatchObject({ code: 255, err: expect.stringContaining('administratively prohibited') });
  const password = ['-o', 'PubkeyAuthentication=no', '-o', 'PreferredAuthentications=password,keyboard-interactive,hostbased'];
  expect(await ssh(key, [], password)).toMatchObject({
    code: 255,
    err: expect.stringContaining('Permission denied (publickey)'),
  });
});

test.skipIf(!hasOpenSsh)('a former name leads to the repository, for those who may see it', async () => {
  const { user, key } = await userWithKey();
  const { key: stranger } = await userWithKey();
  const repo = await here.repo(user, { visibility: 'private' });
  const name = fresh('renamed');
  await (await here.as(user)).patch(`/repos/${user.login}/${repo.name}`, { name });
  const moved = await push(key, repo, 'main');
  expect(moved, moved.err).toMatchObject({
    code: 0,
    err: expect.stringContaining(`This repository has moved: ${user.login}/${name}`),
  });
  expect(await read(stranger, repo)).toMatchObject(missing);
});

test.skipIf(!hasOpenSsh)('addresses of repositories lead to the port of SSH', async () => {
  const user = await here.user();
  const repo = await here.repo(user);
  const { body } = await (await here.as(user)).get(`/repos/${user.login}/${repo.name}`);
  expect(body.ssh_url).toBe(at(repo));
});
