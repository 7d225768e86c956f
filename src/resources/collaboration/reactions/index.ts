export { reactionEndpoints } from './endpoints.ts';
export { reactionOf } from './path-resources.ts';
export { presentRollup } from './present.ts';
export type { Reactable } from './rules.ts';
export { type Content, contents, ReactionRollup } from './schemas.ts';
export { changedCounts, insertReactionsOf, loadReactions, type ReactionRow, rollupOf } from './store.ts';
