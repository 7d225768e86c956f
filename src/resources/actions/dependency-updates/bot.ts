// The bot as it acts in a repository.
import { findRepoById } from '#access/lookup.ts';
import type { ServedScope } from '#endpoint/scope.ts';
import type { TextAction } from '#resources/collaboration/issues/index.ts';
import { dependencyBotOn } from '#resources/repositories/apps/index.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';

/** The action of the bot in a repository; undefined if its app can't act there, or the repository is archived. */
export async function botActionIn(
  scope: ServedScope,
  { id, owner_id, archived }: Pick<RepositoryWithOwner, 'id' | 'owner_id' | 'archived'>,
): Promise<TextAction | undefined> {
  if (archived) return undefined;
  const { now, links } = scope;
  const by = await scope.change((scope) => dependencyBotOn(scope.tx, owner_id, now));
  const repo = await findRepoById(scope.db, by, id);
  return repo?.reached ? { repo, by, now, html: links.html } : undefined;
}

/** How people address the bot in comments: the login of its account without the suffix of bots. */
export const mentionOf = ({ by }: Pick<TextAction, 'by'>): string => `@${by.account.login.replace(/\[bot\]$/, '')}`;
