import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { emptyTree } from '../objects/oid.ts';
import { inheritedEnvironment } from './environment.ts';

const padding = 20_000;
const person = { NAME: 'Hearth', EMAIL: 'hearth@localhost', DATE: '2000-01-01T00:00:00Z' };

/**
 * Whether this git has the fix for CVE-2022-41903: it ignores paddings of more than 16,384 characters in formats. It tests this
 * with a commit in a temporary repository.
 */
export async function limitsPadding(env: NodeJS.ProcessEnv): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-git-'));
  const git = async (...args: string[]): Promise<string> => {
    const names = Object.entries(person).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value],
    ]);
    const own = { GIT_DIR: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', ...Object.fromEntries(names) };
    const options = { env: { ...inheritedEnvironment(env), ...own }, timeout: 10_000 };
    return (await promisify(execFile)('git', args, options)).stdout;
  };
  try {
    await git('init', '--quiet', '--bare', '--template=');
    await git('hash-object', '-w', '-t', 'tree', '/dev/null');
    const commit = (await git('commit-tree', '-m', 'probe', emptyTree)).trim();
    return (await git('log', '-1', `--format=%<(${padding})%an`, commit)).length < padding;
  } catch {
    // An error doesn't prove the fix.
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
