import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { selectCache } from './store.ts';

/** A cache of a repository. */
export const cache = pathResource({
  name: 'cache',
  words: { cache_id: idOf('caches') },
  below: 'repo',
  query: ({ db, at }, { cache_id }) => selectCache(db, at.repo.id, cache_id),
});
