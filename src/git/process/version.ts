import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartupError } from '#lib/startup-error.ts';
import { inheritedEnvironment } from './environment.ts';
import { limitsPadding } from './padding-probe.ts';

type Version = readonly [number, number, number];

// 2.38 introduced `merge-tree --write-tree` and NUL-terminated input for `cat-file`.
const oldest: Version = [2, 38, 3];
/** A later version without the fix of 2.38.3: a format's padding may overflow memory (CVE-2022-41903). */
const vulnerable: Version = [2, 39, 0];

const requirement = `git ${oldest.join('.')} or newer, and not ${vulnerable.join('.')}`;

/** The version of the system's git. @throws StartupError if git is missing, too old or vulnerable */
export async function assertGitPresent(env: NodeJS.ProcessEnv): Promise<string> {
  const text = await promisify(execFile)('git', ['--version'], { env: inheritedEnvironment(env), timeout: 10_000 }).then(
    ({ stdout }) => stdout,
    (error: { killed?: boolean }) => {
      if (error.killed)
        throw new StartupError('git --version did not answer within 10 seconds: try again when the machine is less busy');
      return '';
    },
  );
  const match = /^git version (\d+)\.(\d+)(?:\.(\d+))?\S*/.exec(text);
  if (!match) throw new StartupError(`git was not found: install ${requirement}, and make sure that it is on the PATH`);
  const version: Version = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  const name = match[0].slice('git version '.length);
  if (isBefore(version, [oldest[0], oldest[1], 0])) throw new StartupError(`git ${name} is too old: Hearth needs ${requirement}`);
  const isVulnerable = isBefore(version, oldest) || (!isBefore(version, vulnerable) && isBefore(version, [2, 39, 1]));
  // Distributions backport fixes without a new version number.
  if (isVulnerable && !(await limitsPadding(env)))
    throw new StartupError(`git ${name} has a known hole (CVE-2022-41903): Hearth needs ${requirement}`);
  return name;
}

const isBefore = (one: Version, other: Version): boolean => {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
};
