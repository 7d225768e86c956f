export { moveRefs, mustMoveRefs, pushHandlers, type RefMoveRequest } from './move-refs.ts';
export { type PushContext, recoverUnfinished } from './rules.ts';
