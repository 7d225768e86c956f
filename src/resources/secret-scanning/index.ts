export { type BlockedSecret, findBlocked, placeBlocked } from './push-protection.ts';
