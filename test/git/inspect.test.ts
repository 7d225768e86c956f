import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listNewCommits } from '#git/history/history.ts';
import { openObjects } from '#git/objects/objects.ts';
import { findRef, listRefs } from '#git/refs/refs.ts';
import { isAncestor } from '#git/refs/resolve.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import type { GitRepository } from '#git/repo.ts';
import type { Inspect } from '#git/transport/receive-pack.ts';
import { commit, git, newRepo, scratch, serve } from './support.ts';

/** A repository with a commit on main, and a clone with another one, not pushed yet. */
async function cloned(inspect: Inspect): Promise<{ repo: GitRepository; work: string; main: string; next: string }> {
  const repo = await newRepo();
  const main = await commit(repo, { a: 'x' });
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: main }]);
  const { url } = await serve(repo, { before: async () => ({ inspect }) });
  const work = await scratch();
  await git(work, 'clone', '-q', url, '.');
  await writeFile(join(work, 'b'), 'new');
  await git(work, 'add', '.');
  await git(work, 'commit', '-q', '-m', 'Next');
  return { repo, work, main, next: (await git(work, 'rev-parse', 'HEAD')).trim() };
}

const fastForwardOnly: Inspect = async (commands, pushed) => {
  const refused = new Map<string, string>();
  for (const { ref, from, to } of commands) {
    if (from && to && !(await isAncestor(pushed, from, to))) refused.set(ref, 'protected branch');
  }
  return { refused, messages: [...refused].map(([ref]) => `see the rules of ${ref}`) };
};

test('branch protection is not ignored by git push: a forced push is refused by its objects, a fast-forward is taken', async () => {
  const { repo, work, main, next } = await cloned(fastForwardOnly);
  await git(work, 'push', '-q', 'origin', 'main');
  expect(await findRef(repo, 'refs/heads/main')).toMatchObject({ oid: next });
  await git(work, 'reset', '-q', '--hard', main);
  await git(work, 'commit', '-q', '--allow-empty', '-m', 'Else');
  await expect(git(work, 'push', '-q', '--force', 'origin', 'main')).rejects.toThrow(
    /remote: see the rules of refs\/heads\/main[\s\S]*main \(protected branch\)/,
  );
  await git(work, 'push', '-q', 'origin', 'main:topic');
  expect(await findRef(repo, 'refs/heads/main')).toMatchObject({ oid: next });
});

test('the inspected repository has the pushed objects; they are gone when all is refused', async () => {
  const seen: string[] = [];
  const { repo, work, main, next } = await cloned(async ([command], pushed) => {
    await using reader = await openObjects(pushed);
    seen.push((await reader.getCommit(command?.to ?? '')).message);
    const commits = await listNewCommits(pushed, { from: main, to: command?.to ?? '', limit: 9 });
    seen.push(...commits.map(({ oid }) => oid));
    return { refused: new Map([[command?.ref ?? '', 'no']]) };
  });
  await expect(git(work, 'push', '-q', 'origin', 'main')).rejects.toThrow(/main \(no\)/);
  expect(seen).toEqual(['Next\n', next]);
  await using reader = await openObjects(repo);
  expect(await reader.findInfo(next)).toBeUndefined();
  expect(repo.store.readers.open()).toBe(1);
});

test('one ref of several is refused, unless they stand or fall together', async () => {
  const { repo, work } = await cloned(async () => ({ refused: new Map([['refs/heads/no', 'not this one']]) }));
  await expect(git(work, 'push', '-q', 'origin', 'HEAD:refs/heads/yes', 'HEAD:refs/heads/no')).rejects.toThrow(
    /no \(not this one\)/,
  );
  expect((await listRefs(repo, { prefix: 'refs/heads/' })).rows.map(({ name }) => name)).toEqual([
    'refs/heads/main',
    'refs/heads/yes',
  ]);
  await expect(git(work, 'push', '-q', '--atomic', 'origin', 'HEAD:refs/heads/more', 'HEAD:refs/heads/no')).rejects.toThrow(
    /not this one/,
  );
  expect(await findRef(repo, 'refs/heads/more')).toBeUndefined();
});

test('a deletion is inspected though it brings no objects', async () => {
  const { repo, work, main } = await cloned(async (commands) => ({
    refused: new Map(commands.filter(({ to }) => to === null).map(({ ref }) => [ref, 'kept'])),
  }));
  await updateRefs(repo, [{ ref: 'refs/heads/x', to: main }]);
  await expect(git(work, 'push', '-q', 'origin', ':x')).rejects.toThrow(/x \(kept\)/);
  expect(await findRef(repo, 'refs/heads/x')).toMatchObject({ oid: main });
});

test('an inspection that throws, or that cannot run, lets nothing through', async () => {
  const { repo, work, main } = await cloned(async () => {
    throw new Error('no database');
  });
  await expect(git(work, 'push', '-q', 'origin', 'main')).rejects.toThrow();
  await chmod(join(repo.store.root, 'hooks', 'update'), 0o644);
  const again = await serve(repo, { before: async () => ({ inspect: async () => ({}) }) });
  await expect(git(work, 'push', '-q', again.url, 'main')).rejects.toThrow();
  expect(await findRef(repo, 'refs/heads/main')).toMatchObject({ oid: main });
});
