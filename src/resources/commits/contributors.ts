import type { Static } from 'typebox';
import type { Db } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import { listContributors } from '#git/history/contributors.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Repo as Disk } from '#git/repo.ts';
import { loadAccountsByEmail, presentUser } from '#resources/accounts/index.ts';
import type { RepositoryUrls } from './links.ts';
import type { Contributor } from './schemas.ts';

type Shown = Static<typeof Contributor>;

/** Addresses for which accounts are looked up, those of the most commits first (the public API's bound). */
const maxAddresses = 500;

type Looking = { db: Db; links: Links; place: RepositoryUrls; disk: Disk };

/** Who wrote a history, the most first: accounts, and with `anonymous` those who have none here. */
export async function contributorsOf(
  { db, links, place, disk }: Looking,
  { from, anonymous }: { from: Oid; anonymous: boolean },
): Promise<Shown[]> {
  const authors = await listContributors(disk, from);
  const addresses = authors.slice(0, maxAddresses).map(({ email }) => email);
  const accounts = await loadAccountsByEmail(db, addresses, place.host);
  const found = new Map<number | string, Shown>();
  for (const { name, email, commits } of authors) {
    const account = accounts.get(email.toLowerCase());
    if (!account && !anonymous) continue;
    const key = account?.id ?? email.toLowerCase();
    const contributions = (found.get(key)?.contributions ?? 0) + commits;
    const who = account ? presentUser(links, account) : { type: 'Anonymous' as const, name, email };
    found.set(key, { ...who, contributions });
  }
  return [...found.values()].sort((one, other) => other.contributions - one.contributions);
}
