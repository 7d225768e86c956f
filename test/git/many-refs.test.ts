import { execFileSync } from 'node:child_process';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { zeroOid } from '#git/objects/oid.ts';
import { repairRefs } from '#git/refs/many-refs.ts';
import { findRefOids } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { flushPacket, packet } from '#git/transport/pkt-line.ts';
import { type Inspect, receivePack } from '#git/transport/receive-pack.ts';
import { commit, git, newRepo, scratch } from './support.ts';

const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex');

type Command = { ref: string; from: string | null; to: string | null };

async function push(repo: GitRepository, commands: readonly Command[], inspect?: Inspect): Promise<string> {
  const lines = commands.map(({ ref, from, to }, at) =>
    packet(`${from ?? zeroOid} ${to ?? zeroOid} ${ref}${at === 0 ? '\0 report-status delete-refs' : ''}`),
  );
  const pack = commands.some(({ to }) => to !== null) ? [emptyPack] : [];
  const body = Readable.from([Buffer.concat([...lines, flushPacket, ...pack])]);
  const before = async () => (inspect ? { inspect } : {});
  return (await buffer(await receivePack(repo, body, { before }))).toString('latin1');
}

const branches = (count: number, from: string | null, to: string | null): Command[] =>
  Array.from({ length: count }, (_, at) => ({ ref: `refs/heads/b${at}`, from, to }));

/** A repository whose git is a program that notes what is synced before it goes on; each command with its `core.fsync`. */
async function noted() {
  const made = await newRepo();
  const [one, two] = [await commit(made, { a: '1' }), await commit(made, { a: '2' })];
  const folder = await scratch();
  const log = join(folder, 'log');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh
echo "$1 $(${real} config --get core.fsync)" >> ${log}
exec ${real} "$@"
`;
  await writeFile(join(folder, 'git'), script);
  await chmod(join(folder, 'git'), 0o755);
  const env = { ...made.store.env, PATH: `${folder}:${made.store.env.PATH}` };
  const repo: GitRepository = { ...made, store: { ...made.store, env } };
  const ran = async () => {
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    await writeFile(log, '');
    return lines.filter((line) => /^(receive-pack|pack-refs)/.test(line));
  };
  return { repo, one, two, ran };
}

const looseBranches = async (repo: GitRepository) =>
  (await readdir(join(repo.path, 'refs/heads'))).filter((name) => name.startsWith('b'));

test('the refs of a push of many are packed and synced together before it is answered', async () => {
  const { repo, one, two, ran } = await noted();
  expect((await push(repo, branches(64, null, one))).split('ok refs/')).toHaveLength(65);
  expect(await ran()).toEqual(['receive-pack all,-reference', 'pack-refs all']);
  expect(await looseBranches(repo)).toEqual([]);
  await push(repo, branches(64, one, two), async (commands) => ({
    refused: new Map([[commands[0]?.ref ?? '', 'not this one']]),
  }));
  expect(await ran()).toEqual(['receive-pack all,-reference', 'pack-refs all']);
  const oids = await findRefOids(repo, ['refs/heads/b0', 'refs/heads/b63']);
  expect([...oids]).toEqual([
    ['refs/heads/b0', one],
    ['refs/heads/b63', two],
  ]);
});

test('few refs, and the file of all packed refs where some are deleted, are synced as they are written', async () => {
  const { repo, one, ran } = await noted();
  await push(repo, branches(63, null, one));
  expect(await ran()).toEqual(['receive-pack all']);
  await push(repo, [...branches(63, one, null), { ref: 'refs/heads/other', from: null, to: one }]);
  expect(await ran()).toEqual(['receive-pack all']);
});

test('refs that a power cut left without a value get their former one', async () => {
  const repo = await newRepo();
  const [one, two] = [await commit(repo, { a: '1' }), await commit(repo, { a: '2' })];
  await updateRefs(repo, [{ ref: 'refs/heads/b1', to: one }]);
  await git(repo.path, 'pack-refs', '--all');
  await updateRefs(repo, [
    { ref: 'refs/heads/b2', to: one },
    { ref: 'refs/heads/b3', to: two },
  ]);
  const commands = branches(64, null, two).map((command, at) => (at === 1 || at === 2 ? { ...command, from: one } : command));
  for (const name of ['b0', 'b1', 'b2']) await writeFile(join(repo.path, 'refs/heads', name), '');
  await repairRefs(repo, commands);
  const names = ['b0', 'b1', 'b2', 'b3'].map((name) => `refs/heads/${name}`);
  expect(Object.fromEntries(await findRefOids(repo, names))).toEqual({
    'refs/heads/b1': one,
    'refs/heads/b2': one,
    'refs/heads/b3': two,
  });
  await git(repo.path, 'fsck');
});
