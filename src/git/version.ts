import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartupError } from '#lib/startup-error.ts';
import { inheritedEnvironment } from './environment.ts';

// 2.38 brought `merge-tree --write-tree` and NUL-terminated input for `cat-file`.
const oldest = [2, 38] as const;

/** The version of the system's git, or a StartupError that says what to install. */
export async function assertGitPresent(env: NodeJS.ProcessEnv): Promise<string> {
  const text = await promisify(execFile)('git', ['--version'], { env: inheritedEnvironment(env), timeout: 10_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  const wanted = `git ${oldest.join('.')} or newer`;
  const found = /^git version (\d+)\.(\d+)\S*/.exec(text);
  if (!found) throw new StartupError(`git was not found: install ${wanted} and make sure that it is on the PATH`);
  const [major, minor] = [Number(found[1]), Number(found[2])];
  const old = major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
  if (old) throw new StartupError(`git ${major}.${minor} is too old: Hearth needs ${wanted}`);
  return found[0].slice('git version '.length);
}
