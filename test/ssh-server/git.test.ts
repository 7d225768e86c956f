import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fresh } from '#test/support/world.ts';
import { hasOpenSsh, sshWorld } from './support.ts';

test.skipIf(!hasOpenSsh)('clone, push and fetch', async () => {
  const { here, git, ssh, keyFile, address, folder } = await sshWorld();
  const ada = await here.user();
  const repo = await here.repo(ada, { visibility: 'private' });
  const key = keyFile();
  expect((await (await here.as(ada)).post('/user/keys', { key: key.line })).status).toBe(201);
  const hi = await ssh(key);
  expect(hi).toEqual({ code: 1, out: '', err: expect.stringContaining(`Hi ${ada.login}! You've successfully authenticated`) });
  const work = join(folder, fresh('work'));
  mkdirSync(work);
  const inWork = { cwd: work };
  await git(key, ['init', '-q', '-b', 'main'], inWork);
  writeFileSync(join(work, 'a'), 'one\n');
  await git(key, ['add', '.'], inWork);
  await git(key, ['commit', '-qm', 'one'], inWork);
  const pushed = await git(key, ['push', address(ada.login, repo.name), 'main'], inWork);
  expect(pushed).toMatchObject({ code: 0 });
  for (const version of ['0', '1', '2']) {
    const copy = join(folder, fresh('copy'));
    const cloned = await git(key, ['-c', `protocol.version=${version}`, 'clone', address(ada.login, repo.name), copy]);
    expect(cloned, cloned.err).toMatchObject({ code: 0 });
    const [filter, other] = ['sparse:oid=main:none', join(folder, fresh('copy'))];
    const clone = ['-c', `protocol.version=${version}`, 'clone', `--filter=${filter}`, address(ada.login, repo.name), other];
    const { code, err } = await git(key, clone);
    expect([version, code, err]).toEqual([version, 128, expect.stringContaining(`The filter ${filter} names nothing`)]);
  }
  expect(await git(key, ['push', address(ada.login, repo.name), 'main:more'], inWork)).toMatchObject({ code: 0 });
  const deleted = await git(key, ['push', address(ada.login, repo.name), ':more'], inWork);
  expect(deleted, deleted.err).toMatchObject({ code: 0 });
  expect(await git(key, ['push', address(ada.login, repo.name), 'main'], inWork)).toMatchObject({
    code: 0,
    err: expect.stringContaining('up-to-date'),
  });
  const refused = await git(key, ['push', address(ada.login, repo.name), `main:refs/heads/refs/x`], inWork);
  expect(refused, refused.err).toMatchObject({ code: 1 });
});
