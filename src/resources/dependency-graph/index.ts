export type { Ecosystem } from './parsers/dependency.ts';
export { pythonName } from './parsers/pypi.ts';
export { listUnreadPaths, listUsers } from './store.ts';
