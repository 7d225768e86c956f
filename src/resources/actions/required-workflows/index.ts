export { findRequiredFile, loadSources, type RequiredFile, sharingOf, sourceOf } from './sources.ts';
