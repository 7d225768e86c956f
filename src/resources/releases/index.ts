export { findAssetNamed } from './asset-store.ts';
export { fileOf } from './assets.ts';
export { draftOf } from './present.ts';
export { sightOf } from './sight.ts';
export { findLatest, loadReleases } from './store.ts';
