import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartupError } from '#lib/startup-error.ts';
import { inheritedEnvironment } from './environment.ts';
import { boundsPadding } from './padding-probe.ts';

type Version = readonly [number, number, number];

// 2.38 brought `merge-tree --write-tree` and NUL-terminated input for `cat-file`.
const oldest: Version = [2, 38, 3];
/** The later version that has the hole again that 2.38.3 mended: a format's padding may overflow memory (CVE-2022-41903). */
const holed: Version = [2, 39, 0];

const wanted = `git ${oldest.join('.')} or newer, and not ${holed.join('.')}`;

/** The version of the system's git, or a StartupError that says what to install. */
export async function assertGitPresent(env: NodeJS.ProcessEnv): Promise<string> {
  const text = await promisify(execFile)('git', ['--version'], { env: inheritedEnvironment(env), timeout: 10_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  const found = /^git version (\d+)\.(\d+)(?:\.(\d+))?\S*/.exec(text);
  if (!found) throw new StartupError(`git was not found: install ${wanted}, and make sure that it is on the PATH`);
  const version: Version = [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
  const name = found[0].slice('git version '.length);
  if (isBefore(version, [oldest[0], oldest[1], 0])) throw new StartupError(`git ${name} is too old: Hearth needs ${wanted}`);
  const isHoled = isBefore(version, oldest) || (!isBefore(version, holed) && isBefore(version, [2, 39, 1]));
  // Distributions mend holes without changing the number.
  if (isHoled && !(await boundsPadding(env)))
    throw new StartupError(`git ${name} has a known hole (CVE-2022-41903): Hearth needs ${wanted}`);
  return name;
}

const isBefore = (one: Version, other: Version): boolean => {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
};
