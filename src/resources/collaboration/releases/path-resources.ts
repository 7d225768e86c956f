import { pathResource } from '#endpoint/path-resource.ts';
import { idOf, nameWord } from '#endpoint/path-words.ts';
import { reactionOf } from '#resources/collaboration/reactions/index.ts';
import { findAsset, findAssetForUpdate } from './asset-store.ts';
import { findRelease, findReleaseForUpdate, selectPublished } from './store.ts';
import { visibilityOf } from './visibility.ts';

/** A release of a repository. Drafts are found only by users who may write. */
export const release = pathResource({
  name: 'release',
  words: { release_id: idOf('releases') },
  below: 'repo',
  find: ({ db, at, viewer }, { release_id }) => findRelease(db, at.repo.id, release_id, visibilityOf(viewer, at.repo)),
  lock: (tx, at) => findReleaseForUpdate(tx, at.release),
});

/** The published release of a tag. */
export const taggedRelease = pathResource({
  name: 'taggedRelease',
  words: { tag: nameWord },
  below: 'repo',
  query: ({ db, at }, { tag }) => selectPublished(db, at.repo.id, tag),
});

/** A file of a release. */
export const asset = pathResource({
  name: 'asset',
  words: { asset_id: idOf('release_assets') },
  below: 'repo',
  find: ({ db, at, viewer }, { asset_id }) => findAsset(db, at.repo.id, asset_id, visibilityOf(viewer, at.repo)),
  lock: (tx, at) => findAssetForUpdate(tx, at.asset),
});

export const releaseReaction = reactionOf(release, ({ release: { id } }) => ({ release: id }));
