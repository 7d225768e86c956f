export { findNewName } from './store.ts';
