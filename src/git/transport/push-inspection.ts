import { createInterface } from 'node:readline';
import { GitError } from '../errors.ts';
import type { PushHooks } from '../maintenance/hooks.ts';
import type { GitProcess } from '../process/process.ts';
import type { GitRepository } from '../repo.ts';
import type { PushCommand } from './receive-request.ts';

/** The refused refs, each with the reason for the client. */
export type Refused = ReadonlyMap<string, string>;

/** The decision of a check on a push, and the lines for its user. */
export type Verdict = { readonly refused?: Refused; readonly messages?: readonly string[] };

/**
 * Checks a push after its objects were received and before any ref moves. `pushed` is the repository with the new objects, which
 * are dropped if all commands are refused.
 */
export type Inspect = (commands: readonly PushCommand[], pushed: GitRepository) => Promise<Verdict>;

/**
 * Answers the hooks of a `git receive-pack` (see hooks.ts) until it ends. Returns the verdict. If `inspect` throws, all commands
 * are refused, and the error is rethrown after git has ended.
 */
export async function inspectPush(
  git: GitProcess,
  given: { repo: GitRepository; commands: readonly PushCommand[]; inspect: Inspect; hooks: PushHooks },
): Promise<Verdict> {
  const { channel } = git;
  if (!channel) throw new GitError('failed', 'Pushes cannot be inspected: there is no channel to the hooks');
  channel.on('error', () => undefined);
  const { repo, commands, inspect, hooks } = given;
  let verdict: Verdict = {};
  let failed: { error: unknown } | undefined;
  let objects = '';
  let alternates = '';
  const inspectAll = async () => {
    const pushed = objects === '' ? repo : { ...repo, quarantine: { objects, alternates } };
    verdict = await inspect(commands, pushed);
    const refused = commands.filter(({ ref }) => verdict.refused?.has(ref)).length;
    if (refused > 0) await hooks.askForEachRef();
    return refused < commands.length;
  };
  for await (const line of createInterface({ input: channel })) {
    const [word, rest] = [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)];
    if (word === 'objects') objects = rest;
    if (word === 'alternates') alternates = rest;
    if (word === 'ref') channel.write(verdict.refused?.has(rest) ? 'no\n' : 'go\n');
    if (word !== 'inspect') continue;
    const isAccepted = await inspectAll().catch((error: unknown) => {
      failed = { error };
      return false;
    });
    channel.write(isAccepted ? 'go\n' : 'no\n');
  }
  if (failed) throw failed.error;
  return verdict;
}
