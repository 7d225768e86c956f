import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { reachIn } from './access.ts';
import { selectGlobalAdvisory } from './global-store.ts';
import { findAdvisory, findAdvisoryForUpdate } from './store.ts';

/** An advisory of a repository by its identifier, if the viewer may see it. */
export const repositoryAdvisory = pathResource({
  name: 'repositoryAdvisory',
  words: { advisory_id: slugWord },
  below: 'repo',
  find: ({ db, at, viewer }, { advisory_id }) => findAdvisory(db, at.repo.id, advisory_id, reachIn(viewer, at.repo)),
  lock: (tx, at) => findAdvisoryForUpdate(tx, at.repositoryAdvisory),
});

/** An advisory about packages, which everybody may read. */
export const globalAdvisory = pathResource({
  name: 'globalAdvisory',
  words: { advisory_id: slugWord },
  below: undefined,
  query: ({ db }, { advisory_id }) => selectGlobalAdvisory(db, advisory_id),
});
