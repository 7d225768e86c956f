export {
  firstRelease,
  insertImportedAssets,
  insertImportedReleases,
  keepObjects,
  listReleasesAfter,
  loadAssetsById,
  type ReleaseKey,
} from './archive-store.ts';
export { type AssetRow, findAssetNamed, loadAssets } from './asset-store.ts';
export { fileOf, isContentType, newKey, safeName } from './assets.ts';
export { releaseLimits } from './limits.ts';
export { draftOf } from './present.ts';
export { checkTagName, tagRef } from './publish.ts';
export { findLatest, loadReleases, type ReleaseRow } from './store.ts';
export { visibilityOf } from './visibility.ts';
