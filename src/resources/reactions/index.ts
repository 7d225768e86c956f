export { reactionEndpoints } from './endpoints.ts';
export { presentRollup } from './present.ts';
export type { Held } from './rules.ts';
export { ReactionRollup } from './schemas.ts';
