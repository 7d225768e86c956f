import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { selectBuild } from './store.ts';

/** A build of the website of a repository. */
export const pageBuild = pathResource({
  name: 'build',
  words: { build_id: idOf('pages_builds') },
  below: 'repo',
  query: ({ db, at }, { build_id }) => selectBuild(db, at.repo.id, build_id),
});
