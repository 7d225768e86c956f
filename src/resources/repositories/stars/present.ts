import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Links } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { getOrThrow } from '#lib/collections.ts';
import type { Media } from '#lib/media.ts';
import { timestamp } from '#lib/time.ts';
import { presentUser, type User } from '#resources/identity/accounts/index.ts';
import { type MinimalRepository, presentRepositories } from '#resources/repositories/repositories/index.ts';
import type { Stargazer, StarredRepository } from './schemas.ts';
import type { StarredAt } from './store.ts';

/** The starred repositories of a page. The media type `star` includes the times of the stars. */
export async function presentStarred(
  scope: Scope,
  rows: readonly (RepositoryRow & StarredAt)[],
  media: Media,
): Promise<(MinimalRepository | StarredRepository)[]> {
  const repositories = await presentRepositories(scope, rows);
  if (media !== 'star') return repositories;
  const times = new Map<number, Date>(rows.map(({ id, starred_at }) => [id, starred_at]));
  return repositories.map((repo) => ({ starred_at: timestamp(getOrThrow(times, repo.id)), repo }));
}

/** An account that starred a repository. The media type `star` includes the time of the star. */
export function presentStargazer(links: Links, row: Account & StarredAt, media: Media): User | Stargazer {
  const user = presentUser(links, row);
  return media === 'star' ? { starred_at: timestamp(row.starred_at), user } : user;
}
