// Where the actions of a job come from: from this server's repositories, or from a configured origin.
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { loadNamed } from '#resources/repositories/index.ts';
import type { WorkflowFileJob } from '#workflow-files/parse.ts';
import { namedUse, stepUsesOf } from '#workflow-files/uses.ts';
import { isShared, type SharingRepository } from './sharing.ts';

/** The secret that a runner reads the actions of other repositories with. */
export const actionsSecret = 'HEARTH_ACTIONS_TOKEN';

/** Where actions are found. */
export type UsedActions = {
  /** What runners are told in the place of a name; names that aren't among them are told as they are, and found on this server. */
  readonly addresses: ReadonlyMap<string, string>;
  /** The repositories that aren't public, and share their actions with this one. */
  readonly shared: readonly Id<'repositories'>[];
  /** What can't be found, with the line of its file. */
  readonly missing: { readonly name: string; readonly line: number } | undefined;
};

type Places = {
  readonly repository: SharingRepository;
  /** Whether the run may read what others share: not for a fork's pull request, whose author could then read it. */
  readonly mayShare: boolean;
  readonly server: string;
  readonly origin: string | undefined;
};

/** Finds the actions of a job's steps. One statement, and two more for each repository that isn't public. */
export async function findUsedActions(
  db: Db,
  job: WorkflowFileJob,
  { repository, mayShare, server, origin }: Places,
): Promise<UsedActions> {
  const named = stepUsesOf(job).flatMap(({ name, line }) => {
    const use = namedUse(name);
    return use ? [{ name, line, fullName: `${use.owner}/${use.repo}`.toLowerCase() }] : [];
  });
  const addresses = new Map<string, string>();
  const shared = new Set<Id<'repositories'>>();
  const found = await loadNamed(
    db,
    named.map(({ fullName }) => fullName),
  );
  for (const { name, line, fullName } of named) {
    const here = found.get(fullName);
    if (here && (here.visibility === 'public' || here.id === repository.id)) continue;
    if (here && mayShare && (await isShared(db, repository, here))) {
      shared.add(here.id);
      addresses.set(name, withUser(server, name));
    } else if (origin === undefined) return { addresses, shared: [...shared], missing: { name, line } };
    else addresses.set(name, `${origin}/${name}`);
  }
  return { addresses, shared: [...shared], missing: undefined };
}

/** The address of an action with what it is read with, which the runner knows as a secret. */
const withUser = (server: string, name: string): string =>
  `${server.replace('://', `://x-access-token:\${{ secrets.${actionsSecret} }}@`)}/${name}`;
