export { findComment, loadPresentIds } from './store.ts';
