export { findGroup, getDefaultGroup, insertDefaultGroup, insertGroup, removeGroup, updateGroup } from './store.ts';
