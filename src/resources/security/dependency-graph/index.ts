export { type DependencyChange, listDependencyChanges } from './differences.ts';
export { type Ecosystem, pythonName } from './parsers/dependency.ts';
export { findGraph, listUnreadPaths, listUsers } from './store.ts';
