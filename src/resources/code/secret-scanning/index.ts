export { findNamedAlert } from './present.ts';
export { type BlockedSecret, findBlocked, insertBlockedSecrets } from './push-protection.ts';
export { scanTextsAnew } from './scan.ts';
