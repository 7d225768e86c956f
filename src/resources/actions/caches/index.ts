export { cacheLimits } from './limits.ts';
export { beginCache, fileOf as fileOfCache, findCacheFor, finishCache, useCache } from './rules.ts';
export { findCache } from './store.ts';
