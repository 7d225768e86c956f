export { type Ecosystem, pythonName } from './parsers/dependency.ts';
export { listUnreadPaths, listUsers } from './store.ts';
