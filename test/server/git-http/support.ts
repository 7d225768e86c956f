import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { git, scratch } from '#test/git/support.ts';
import { type World, world } from '#test/support/world.ts';

export type Owned = RepositoryRow & { owner: Account };

/** The address of a repository for a client that carries a token (or none). */
export function addressOf({ url }: World, repo: { owner: Account; name: string }, token?: string): string {
  const [scheme, host] = url.split('//');
  return `${scheme}//${token === undefined ? '' : `x-access-token:${token}@`}${host}/${repo.owner.login}/${repo.name}.git`;
}

/** A user's own folder with a repository of these files, one commit on `main`. */
export async function workTree(files: Record<string, string> = { 'README.md': '# Engine\n' }): Promise<string> {
  const folder = await scratch();
  await git(folder, 'init', '-q', '-b', 'main');
  await change(folder, files, 'Begin');
  return folder;
}

/** Commits these files. */
export async function change(folder: string, files: Record<string, string>, message = 'Change'): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await git(folder, 'add', '-A');
  await git(folder, 'commit', '-q', '--allow-empty', '-m', message);
  return head(folder);
}

export const head = async (folder: string, revision = 'HEAD'): Promise<string> =>
  (await git(folder, 'rev-parse', revision)).trim();

/** What git tells a person whose command fails. */
export async function complaint(cwd: string, ...args: string[]): Promise<string> {
  const outcome = await git(cwd, ...args).then(
    () => 'it succeeded',
    (error: { stderr?: string }) => error.stderr ?? String(error),
  );
  expect(outcome).not.toBe('it succeeded');
  return outcome;
}

/** Everything that a repository holds, name by name and byte by byte. */
export async function contents(folder: string): Promise<string> {
  await git(folder, 'fsck', '--full', '--strict');
  const refs = await git(folder, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags');
  const list = await git(folder, 'rev-list', '--objects', '--all', '--no-object-names');
  const objects = [...new Set(list.trim().split('\n'))].sort().join('\n');
  const sizes = await git(folder, 'cat-file', '--batch-all-objects', '--batch-check');
  const held = sizes.split('\n').filter((line) => objects.includes(line.slice(0, 40)));
  return `${refs}\n${held.sort().join('\n')}`;
}

/** A world with a user, a repository of theirs and a token that may do everything. */
export async function owned(visibility: RepositoryRow['visibility'] = 'public') {
  const here = await world();
  const ada = await here.user();
  const repo: Owned = await here.repo(ada, { visibility });
  const token = await here.token(ada);
  return { here, ada, repo, token, address: addressOf(here, repo, token) };
}
