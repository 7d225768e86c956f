import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { addStars } from '#resources/repositories/repositories/index.ts';
import { insertStar, removeStar } from './store.ts';

/** Stars a repository. Starring it again changes nothing. */
export async function starRepository(scope: WriteScope, action: RepositoryAction): Promise<void> {
  const { repo, by, now } = action;
  if (!(await insertStar(scope.tx, { repository_id: repo.id, account_id: by.account.id, created_at: now }))) return;
  await addStars(scope.tx, [{ repository: repo.id, by: 1 }]);
  await record(scope.tx, { ...inRepository(action), kind: 'repository.starred', data: {} });
}

/** Removes the caller's star. Without a star, nothing changes. */
export async function unstarRepository(scope: WriteScope, action: RepositoryAction): Promise<void> {
  const { repo, by } = action;
  if (!(await removeStar(scope.tx, repo.id, by.account.id))) return;
  await addStars(scope.tx, [{ repository: repo.id, by: -1 }]);
  await record(scope.tx, { ...inRepository(action), kind: 'repository.unstarred', data: {} });
}
