export { findRequiredFile, loadSources, type RequiredFile, sourceOf } from './sources.ts';
