import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { WantedSubscription } from './schemas.ts';
import { putWatch, removeWatch, type WatchRow } from './store.ts';

/** Watches a repository, or ignores it. Undefined if the request asks for neither, which ends watching. */
export async function changeWatch(
  scope: WriteScope,
  action: RepositoryAction,
  wanted: WantedSubscription,
): Promise<WatchRow | undefined> {
  const { ignored = false, subscribed = true } = wanted;
  if (!ignored && !subscribed) {
    await stopWatching(scope, action);
    return undefined;
  }
  const { repo, by, now } = action;
  const watch = await putWatch(scope.tx, { repository_id: repo.id, account_id: by.account.id, ignored, created_at: now });
  await record(scope.tx, { ...inRepository(action), kind: 'repository.watched', data: { ignored } });
  return watch;
}

export async function stopWatching(scope: WriteScope, action: RepositoryAction): Promise<void> {
  const { repo, by } = action;
  await removeWatch(scope.tx, repo.id, by.account.id);
  await record(scope.tx, { ...inRepository(action), kind: 'repository.unwatched', data: {} });
}
