import { GitError, type GitErrorKind } from '../errors.ts';
import { gitLimits } from '../limits.ts';
import type { GitLimits } from '../repo.ts';

const mebi = 1024 * 1024;

/** The name and value of a limit for messages: `git.output: 32 MiB`. */
function limitText(limits: GitLimits, name: keyof GitLimits): string {
  const value = limits[name];
  switch (gitLimits[name].unit) {
    case 'bytes':
      return `git.${name}: ${value >= mebi ? `${Math.round(value / mebi)} MiB` : `${value} bytes`}`;
    case 'bytes a second':
      return `git.${name}: ${value} bytes a second`;
    case 'milliseconds':
      return `git.${name}: ${value / 1_000} seconds`;
    case 'count':
      return `git.${name}: ${value}`;
  }
}

/** The error for an exceeded limit. The message has the limit's name and value. */
export const exceeded = (
  limits: GitLimits,
  name: keyof GitLimits,
  { kind = 'too-large', message, detail }: { kind?: GitErrorKind; message: string; detail?: string },
): GitError => new GitError(kind, `${message} (${limitText(limits, name)})`, detail, `git.${name}`);
