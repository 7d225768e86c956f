export { findNamedAlert } from './present.ts';
export { type BlockedSecret, findBlocked, insertBlockedSecrets } from './push-protection/push-protection.ts';
export { scanTextsAnew } from './scans/scan.ts';
