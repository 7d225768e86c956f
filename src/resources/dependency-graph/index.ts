export { type Ecosystem, pythonName } from './parsers/dependency.ts';
export { findGraph, listUnreadPaths, listUsers } from './store.ts';
