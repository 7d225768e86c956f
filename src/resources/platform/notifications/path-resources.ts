import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findThread } from './store.ts';

/**
 * A thread of the viewer's own inbox. Other accounts' threads, and threads of repositories that are no longer readable, aren't
 * found.
 */
export const thread = pathResource({
  name: 'thread',
  words: { thread_id: idOf('notification_threads') },
  below: undefined,
  find: async ({ db, viewer }, { thread_id }) => viewer.account && findThread(db, viewer.account.id, thread_id),
});
