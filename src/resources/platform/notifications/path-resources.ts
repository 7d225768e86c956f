import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findThread } from './store.ts';

/** A thread of one's own inbox. That of somebody else, and one of a repository that can't be read any more, aren't found. */
export const thread = pathResource({
  name: 'thread',
  words: { thread_id: idOf('notification_threads') },
  below: undefined,
  find: async ({ db, viewer }, { thread_id }) => viewer.account && findThread(db, viewer.account.id, thread_id),
});
