import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { OneOf } from '#lib/shape.ts';
import { findArtifactForUpdate, selectArtifact } from './store.ts';

/** An artifact of a repository. */
export const artifact = pathResource({
  name: 'artifact',
  words: { artifact_id: idOf('artifacts') },
  below: 'repo',
  query: ({ db, at }, { artifact_id }) => selectArtifact(db, at.repo.id, artifact_id),
  lock: (tx, at) => findArtifactForUpdate(tx, at.artifact),
});

/** An artifact, with the format of its bytes. The public API has only one format. */
export const artifactArchive = pathResource({
  name: 'artifact',
  words: { artifact_id: idOf('artifacts'), archive_format: OneOf(['zip']) },
  below: 'repo',
  query: ({ db, at }, { artifact_id }) => selectArtifact(db, at.repo.id, artifact_id),
});
