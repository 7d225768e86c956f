export { presentReaction, presentReactions, presentRollup } from './present.ts';
export { type Held, react, takeBack } from './rules.ts';
export { contents, NewReaction, Reaction, ReactionRollup } from './schemas.ts';
export { listReactions } from './store.ts';
