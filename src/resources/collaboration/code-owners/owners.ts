// The owners of code, as far as they have write access to the repository.
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { pathOf } from '#lib/path-pattern.ts';
import { Refusal } from '#lib/refusal.ts';
import type { Reviewers } from '#resources/collaboration/pulls/index.ts';
import { loadAccountsByEmail } from '#resources/identity/accounts/index.ts';
import { beginOwnersWork, type Rule, ruleFor } from './parse.ts';
import { findWriters, findWritingTeams } from './store.ts';

/**
 * The owners of some paths, as the file names them in lower case, in the order of the paths. Where matching the rest would take
 * too many steps, their owners are missing.
 */
export async function ownersOf(rules: readonly Rule[], paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  try {
    for await (const owners of ownersOfEach(rules, paths)) for (const owner of owners) found.add(owner);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return [...found];
}

/**
 * The lists of owners, as the file names them in lower case, that some paths have: each list once.
 * @throws Refusal 422 where that takes too many steps
 */
export async function ownerListsOf(rules: readonly Rule[], paths: readonly string[]): Promise<string[][]> {
  const found = new Map<string, string[]>();
  for await (const owners of ownersOfEach(rules, paths)) if (owners.length > 0) found.set(owners.join(' '), owners);
  return [...found.values()];
}

async function* ownersOfEach(rules: readonly Rule[], paths: readonly string[]): AsyncGenerator<string[]> {
  const work = beginOwnersWork();
  for (const path of paths) {
    const rule = await ruleFor(rules, pathOf(path), work);
    yield rule?.owners.map(({ text }) => text.toLowerCase()) ?? [];
  }
}

type Owned = Pick<RepositoryRow, 'id' | 'owner_id'> & { readonly owner: Pick<Account, 'login'> };

/** The person or team that an owner is. */
type OwnerId = { readonly user: Id<'accounts'> } | { readonly team: Id<'teams'> };

/**
 * The owners, by how the file names them in lower case, who may write to the repository: people by logins or verified e-mail
 * addresses, and teams of its organization that aren't secret. `host`: that of addresses that the server has given out.
 */
export async function resolveOwners(db: Db, repo: Owned, names: readonly string[], host: string): Promise<Map<string, OwnerId>> {
  const emails = names.filter((name) => !name.startsWith('@'));
  const prefix = `@${repo.owner.login.toLowerCase()}/`;
  const slugs = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const logins = names.filter((name) => name.startsWith('@') && !name.includes('/')).map((name) => name.slice(1));
  const [byEmail, teams] = await Promise.all([loadAccountsByEmail(db, emails, host), findWritingTeams(db, repo, slugs)]);
  const writers = await findWriters(db, repo, { logins, ids: [...byEmail.values()].map(({ id }) => id) });
  const mayWrite = keyed(writers, ({ id }) => id);
  const wanted = new Set(logins);
  return new Map<string, OwnerId>([
    ...writers
      .filter(({ login }) => wanted.has(login.toLowerCase()))
      .map(({ id, login }) => [`@${login.toLowerCase()}`, { user: id }] as const),
    ...[...byEmail].filter(([, { id }]) => mayWrite.has(id)).map(([email, { id }]) => [email, { user: id }] as const),
    ...teams.map(({ id, slug }) => [`${prefix}${slug}`, { team: id }] as const),
  ]);
}

/** Owners as reviewers, in the order of their names. */
export function reviewersOf(names: readonly string[], owners: ReadonlyMap<string, OwnerId>): Reviewers {
  const found = names.flatMap((name) => owners.get(name) ?? []);
  return {
    users: [...new Set(found.flatMap((owner) => ('user' in owner ? owner.user : [])))],
    teams: [...new Set(found.flatMap((owner) => ('team' in owner ? owner.team : [])))],
  };
}
