export { findNamedAlert } from './present.ts';
export { type BlockedSecret, findBlocked, placeBlocked } from './push-protection.ts';
export { scanTextsAnew } from './scan.ts';
