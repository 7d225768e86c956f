import type { Account } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { Identity } from '#git/objects/identity.ts';
import { findAccountById, loadVerifiedEmails } from '#resources/identity/accounts/index.ts';
import { identityOf, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type { PullRow } from './store.ts';

/** Whom the commits of a merge name. */
export type MergeNames = {
  /** Who commits the merge. */
  readonly identity: Identity;
  readonly headOwner: string;
  /** The author of a squashed commit, with all addresses by which that account is known. */
  authorOf(): Promise<{ author: Identity; addresses: readonly string[] }>;
};

/** Whom the commits of the merge of a pull request name, which somebody merges. */
export async function mergeNames(
  { db, links, now }: Pick<Scope, 'db' | 'links' | 'now'>,
  { repo, pull, by }: { repo: Pick<RepositoryWithOwner, 'owner'>; pull: PullRow; by: Account },
): Promise<MergeNames> {
  const accountOf = async (id: Account['id'] | null) => (id === null ? undefined : findAccountById(db, id));
  const identity = identityOf(by, links, now);
  const headOwner = await accountOf(pull.head_owner_id);
  return {
    identity,
    headOwner: headOwner?.login ?? repo.owner.login,
    async authorOf() {
      const author = await accountOf(pull.author_id);
      if (!author) return { author: identity, addresses: [identity.email] };
      const own = identityOf(author, links, now);
      const addresses = (await loadVerifiedEmails(db, [author.id])).get(author.id) ?? [];
      return { author: own, addresses: [own.email, ...addresses] };
    },
  };
}
