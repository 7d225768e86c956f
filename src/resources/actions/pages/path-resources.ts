import { pathResource } from '#endpoint/path-resource.ts';
import { idOf, nameWord } from '#endpoint/path-words.ts';
import { asId } from '#lib/id.ts';
import { findBuildForUpdate, selectBuild, selectDeployment } from './store.ts';

/** A build of the website of a repository. */
export const pageBuild = pathResource({
  name: 'build',
  words: { build_id: idOf('pages_builds') },
  below: 'repo',
  query: ({ db, at }, { build_id }) => selectBuild(db, at.repo.id, build_id),
});

/** A deployment of the website of a repository, by its id or by its version. */
export const pageDeployment = pathResource({
  name: 'pageDeployment',
  words: { pages_deployment_id: nameWord },
  below: 'repo',
  query: ({ db, at }, { pages_deployment_id: name }) =>
    selectDeployment(db, at.repo.id, /^\d{1,15}$/.test(name) ? { id: asId(Number(name)) } : { version: name }),
  lock: (tx, at) => findBuildForUpdate(tx, at.pageDeployment.id),
});
