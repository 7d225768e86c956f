import type { Static } from 'typebox';
import type { Db } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import { listContributors } from '#git/history/contributors.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import { loadAccountsByEmail, presentUser } from '#resources/identity/accounts/index.ts';
import type { RepositoryUrls } from './links.ts';
import type { Contributor } from './schemas.ts';

type PresentedContributor = Static<typeof Contributor>;

/** The number of addresses for which accounts are looked up, those with the most commits first (the public API's limit). */
const maxAddresses = 500;

type ContributorsContext = { db: Db; links: Links; urls: RepositoryUrls; gitRepository: GitRepository };

/** The authors of a history, those with the most commits first: accounts, and with `anonymous` also authors without one. */
export async function contributorsOf(
  { db, links, urls, gitRepository }: ContributorsContext,
  { from, anonymous }: { from: Oid; anonymous: boolean },
): Promise<PresentedContributor[]> {
  const authors = await listContributors(gitRepository, from);
  const addresses = authors.slice(0, maxAddresses).map(({ email }) => email);
  const accounts = await loadAccountsByEmail(db, addresses, urls.host);
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
