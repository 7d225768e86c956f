import type { Repo } from '#access/viewer.ts';
import { type Links, repositoryUrl } from '#endpoint/links.ts';
import { timestamp } from '#lib/time.ts';
import type { RepositorySubscription } from './schemas.ts';
import type { WatchRow } from './store.ts';

/** The subscription of the viewer. Without a row, it shows a viewer who stopped watching at this time. */
export function presentWatch(links: Links, repo: Repo, row: WatchRow | undefined, now: Date): RepositorySubscription {
  const repository_url = repositoryUrl(links, repo);
  return {
    subscribed: row !== undefined && !row.ignored,
    ignored: row?.ignored ?? false,
    reason: null,
    created_at: timestamp(row?.created_at ?? now),
    url: `${repository_url}/subscription`,
    repository_url,
  };
}
