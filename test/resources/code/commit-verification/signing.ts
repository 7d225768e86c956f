import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { git, scratch } from '#test/git/support.ts';
import type { World } from '#test/support/world.ts';

/** A clone in which the user's own git signs; `config` says by what. */
export type Signer = {
  /** Makes a signed commit with these options of `git commit`; its name. */
  commit(...more: string[]): Promise<string>;
  /** Makes a signed tag; the name of its object. */
  tag(name: string, ...more: string[]): Promise<string>;
  run(...args: string[]): Promise<string>;
  push(...refs: string[]): Promise<void>;
};

/** Clones a repository through HTTP, to commit as ada@example.org with this configuration. */
export async function clone(
  { url, token }: World,
  repo: RepositoryRow & { owner: Account },
  config: Readonly<Record<string, string>>,
): Promise<Signer> {
  const folder = join(await scratch(), 'work');
  const address = `${url.replace('://', `://x:${await token(repo.owner)}@`)}/${repo.owner.login}/${repo.name}.git`;
  await git('/', 'clone', '-q', address, folder);
  const options = Object.entries(config).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const run = async (...args: string[]) => (await git(folder, ...options, ...args)).trim();
  let count = 0;
  return {
    run,
    async commit(...more) {
      await writeFile(join(folder, 'file'), String(count++));
      await run('add', 'file');
      await run('commit', '-q', '-S', '-m', `Change ${count}`, ...more);
      return run('rev-parse', 'HEAD');
    },
    async tag(name, ...more) {
      await run('tag', '-s', '-m', `Release ${name}`, ...more, name);
      return run('rev-parse', `refs/tags/${name}`);
    },
    async push(...refs) {
      await run('push', '-q', 'origin', ...refs);
    },
  };
}

export const bySsh = (file: string) => ({ 'gpg.format': 'ssh', 'user.signingkey': file });
export const byGpg = (program: string, key = 'ada@example.org') => ({ 'gpg.program': program, 'user.signingkey': key });
