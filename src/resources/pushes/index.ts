export { moveRefs, mustMoveRefs, pushHandlers, type RefWish } from './move-refs.ts';
export { type PushContext, settleUnfinished } from './rules.ts';
