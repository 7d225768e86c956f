// A session may stay open for an hour. Access that ends meanwhile ends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { gitLimits } from '#git/limits.ts';
import { findRef } from '#git/refs/refs.ts';
import { flushPacket, packet } from '#git/transport/pkt-line.ts';
import { initialValues } from '#lib/limits.ts';
import { diskOf } from '#test/resources/code/pushes/support.ts';
import { commitFiles } from '#test/support/commit.ts';
import { hasOpenSsh, sshWorld } from './support.ts';

const { here, options, keyFile } = await sshWorld({ resourceLimits: { git: { ...initialValues(gitLimits), accessTime: 20 } } });
const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex');

/** A user's private repository with a commit, and a session of a service of Git that the user has begun and left open. */
async function beginSession(service: string) {
  const user = await here.user();
  const key = keyFile();
  const client = await here.as(user);
  const { body } = await client.post('/user/keys', { key: key.line });
  const repo = await here.repo(user, { visibility: 'private' });
  const oid = await commitFiles(here, repo, { 'a.txt': 'one\n' });
  const command = `${service} '${user.login}/${repo.name}.git'`;
  const child = spawn('ssh', [...options(key), '-T', 'git@127.0.0.1', command]);
  let [text, errors] = ['', ''];
  child.stdout.setEncoding('latin1').on('data', (part: string) => {
    text += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  child.stdin.on('error', () => undefined); // the server ends it
  const ended = once(child, 'close');
  await expect.poll(() => text).toContain(oid);
  const removeKey = () => client.delete(`/user/keys/${body.id}`);
  return { repo, oid, user, child, ended, removeKey, errors: () => errors };
}

test.skipIf(!hasOpenSsh)('a session that fetches ends with the key', async () => {
  const { ended, removeKey, errors } = await beginSession('git-upload-pack');
  expect((await removeKey()).status).toBe(204);
  await ended;
  expect(errors()).toContain('The key that you came with was removed');
});

test.skipIf(!hasOpenSsh)('a session whose key was removed before its commands pushes nothing', async () => {
  const { repo, oid, child, ended, removeKey, errors } = await beginSession('git-receive-pack');
  expect((await removeKey()).status).toBe(204);
  here.clock.now = new Date(here.clock.now.getTime() + 10_000);
  const line = `${'0'.repeat(40)} ${oid} refs/heads/late\0report-status`;
  child.stdin.end(Buffer.concat([packet(line), flushPacket, emptyPack]));
  await ended;
  expect(errors()).toContain('The key that you came with was removed');
  expect(await findRef(diskOf(here, repo), 'refs/heads/late')).toBeUndefined();
});
