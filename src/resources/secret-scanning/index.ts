export { patternOf } from './patterns.ts';
export { type BlockedSecret, findBlocked, placeBlocked } from './push-protection.ts';
