import type { Static } from 'typebox';
import type { Repo } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import { listContributors } from '#git/history/contributors.ts';
import type { Oid } from '#git/objects/oid.ts';
import { repoOf } from '#git/store.ts';
import { loadAccountsByEmail, presentUser } from '#resources/identity/accounts/index.ts';
import { repositoryUrlsOf } from './links.ts';
import type { Contributor } from './schemas.ts';

type PresentedContributor = Static<typeof Contributor>;

/** The number of addresses for which accounts are looked up, those with the most commits first (the public API's limit). */
const maxAddresses = 500;

/** The authors of a history, those with the most commits first: accounts, and with `anonymous` also authors without one. */
export async function contributorsOf(
  { db, links, git }: Scope,
  repo: Repo,
  { from, anonymous }: { from: Oid; anonymous: boolean },
): Promise<PresentedContributor[]> {
  const authors = await listContributors(repoOf(git, repo.id), from);
  const addresses = authors.slice(0, maxAddresses).map(({ email }) => email);
  const accounts = await loadAccountsByEmail(db, addresses, repositoryUrlsOf(links, repo).host);
  const found = new Map<number | string, PresentedContributor>();
  for (const { name, email, commits } of authors) {
    const account = accounts.get(email.toLowerCase());
    if (!account && !anonymous) continue;
    const key = account?.id ?? email.toLowerCase();
    const contributions = (found.get(key)?.contributions ?? 0) + commits;
    const author = account ? presentUser(links, account) : { type: 'Anonymous' as const, name, email };
    found.set(key, { ...author, contributions });
  }
  return [...found.values()].sort((one, other) => other.contributions - one.contributions);
}
