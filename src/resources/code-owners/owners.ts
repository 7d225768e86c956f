// Who the owners of code are: those of them who may write to the repository.
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { pathOf } from '#lib/path-pattern.ts';
import { periodicYield } from '#lib/turns.ts';
import { loadAccountsByEmail } from '#resources/accounts/index.ts';
import type { Reviewers } from '#resources/pulls/index.ts';
import { type Rule, ruleFor } from './parse.ts';
import { findWriters, findWritingTeams } from './store.ts';

/** The owners of some paths, as the file names them in lower case, in the order of the paths. It may take long, and yields. */
export async function ownersOf(rules: readonly Rule[], paths: readonly string[]): Promise<string[]> {
  const yieldNow = periodicYield();
  const found = new Set<string>();
  for (const path of paths) {
    for (const { text } of ruleFor(rules, pathOf(path))?.owners ?? []) found.add(text.toLowerCase());
    await yieldNow();
  }
  return [...found];
}

/** The lists of owners, as the file names them in lower case, that some paths have: each list once. It may take long, and yields. */
export async function ownerListsOf(rules: readonly Rule[], paths: readonly string[]): Promise<string[][]> {
  const yieldNow = periodicYield();
  const found = new Map<string, string[]>();
  for (const path of paths) {
    const names = ruleFor(rules, pathOf(path))?.owners.map(({ text }) => text.toLowerCase()) ?? [];
    if (names.length > 0) found.set(names.join(' '), names);
    await yieldNow();
  }
  return [...found.values()];
}

type Owned = Pick<RepositoryRow, 'id' | 'owner_id'> & { readonly owner: Pick<Account, 'login'> };

/** The person or team that an owner is. */
export type OwnerId = { readonly user: Id<'accounts'> } | { readonly team: Id<'teams'> };

/**
 * The owners, by how the file names them in lower case, who may write to the repository: people by logins or verified e-mail addresses, and
 * teams of its organization that aren't secret. `host`: that of addresses that the server has given out.
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
