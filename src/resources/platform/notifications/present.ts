import { anonymous } from '#access/viewer.ts';
import { type Links, path } from '#endpoint/links.ts';
import { type Scope, scopeFor } from '#endpoint/scope.ts';
import { gather, getOrThrow, keyed } from '#lib/collections.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { type MinimalRepository, namedRepositories, presentRepositories } from '#resources/repositories/repositories/index.ts';
import { NotificationRepository, type NotificationThread, type ThreadSubscription } from './schemas.ts';
import type { ThreadRow } from './store.ts';
import { presenterOfSubjects } from './subjects.ts';
import type { SubscriptionRow } from './subscription-store.ts';

/** A repository from the path needn't be loaded. */
const threadUrl = (links: Links, { id }: Pick<ThreadRow, 'id'>): string => path(`${links.api}/notifications/threads`, id);

const shownFields = new Set(Object.keys(NotificationRepository.properties));

/** The fields of a repository in its schema here. */
const presentRepository = (repository: MinimalRepository): NotificationRepository =>
  Object.fromEntries(Object.entries(repository).filter(([field]) => shownFields.has(field))) as NotificationRepository;

/** The repositories of threads, by id. */
async function loadRepositories(scope: Scope, rows: readonly ThreadRow[]): Promise<Map<number, NotificationRepository>> {
  const found = await scope.load.all(namedRepositories, gather(rows, 'repository_id'));
  const presented = await presentRepositories(scopeFor(scope, anonymous), [...found.values()]);
  return keyed(presented.map(presentRepository), ({ id }) => id);
}

/**
 * Presents a page of threads. Their repositories and subjects are loaded once for all of them. The list has already checked that
 * the viewer may read them. The viewer's permissions aren't shown.
 */
export async function presentThreads(scope: Scope, rows: readonly ThreadRow[]): Promise<NotificationThread[]> {
  const { db, links } = scope;
  if (rows.length === 0) return [];
  const [repositories, presentSubject] = await Promise.all([loadRepositories(scope, rows), presenterOfSubjects(db, rows)]);
  return rows.flatMap((row) => {
    const repository = getOrThrow(repositories, row.repository_id);
    const subject = presentSubject(row, repository);
    return subject ? [{ ...presentRow(links, row), repository, subject }] : [];
  });
}

export const presentThread = async (scope: Scope, row: ThreadRow): Promise<NotificationThread> =>
  firstOrNotFound(await presentThreads(scope, [row]));

function presentRow(links: Links, row: ThreadRow): Omit<NotificationThread, 'repository' | 'subject'> {
  const url = threadUrl(links, row);
  return {
    id: String(row.id),
    reason: row.reason,
    unread: row.unread,
    updated_at: timestamp(row.updated_at),
    last_read_at: timestampOrNull(row.last_read_at),
    url,
    subscription_url: `${url}/subscription`,
  };
}

/** The subscription to a thread. A watcher who never participated has no row. A viewer who muted the thread isn't subscribed. */
export function presentSubscription(links: Links, thread: ThreadRow, row: SubscriptionRow | undefined): ThreadSubscription {
  const thread_url = threadUrl(links, thread);
  const subscribed = row?.state === 'subscribed';
  return {
    subscribed,
    ignored: row?.state === 'ignored',
    reason: subscribed ? row.reason : null,
    created_at: timestampOrNull(row?.created_at),
    url: `${thread_url}/subscription`,
    thread_url,
  };
}
