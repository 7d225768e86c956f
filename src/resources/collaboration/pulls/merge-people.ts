import type { RepositoryAction } from '#access/action.ts';
import type { Scope } from '#endpoint/scope.ts';
import { findAccountById, loadVerifiedEmails } from '#resources/identity/accounts/index.ts';
import { identityOf } from '#resources/repositories/repositories/index.ts';
import type { MergeAction } from './merging.ts';
import type { PullRow } from './store.ts';

/** Adds the people that the commits of a merge name. Whoever merges is the author where the author's account is gone. */
export async function withPeople(scope: Scope, action: RepositoryAction, pull: PullRow): Promise<MergeAction> {
  const { db, links, now } = scope;
  const identity = identityOf(action.by.account, links, now);
  const accountOf = (id: PullRow['author_id']) => (id === null ? undefined : findAccountById(db, id));
  const headOwner = await accountOf(pull.head_owner_id);
  return {
    ...action,
    identity,
    headOwner: headOwner?.login ?? action.repo.owner.login,
    async authorOf() {
      const author = await accountOf(pull.author_id);
      if (!author) return { author: identity, addresses: [identity.email] };
      const own = identityOf(author, links, now);
      const addresses = (await loadVerifiedEmails(db, [author.id])).get(author.id) ?? [];
      return { author: own, addresses: [own.email, ...addresses] };
    },
  };
}
