export { reactionEndpoints } from './endpoints.ts';
export { reactionOf } from './path-resources.ts';
export { presentRollup } from './present.ts';
export type { Reactable } from './rules.ts';
export { type Content, ReactionRollup } from './schemas.ts';
export { changedCounts, loadReactions, type ReactionRow } from './store.ts';
