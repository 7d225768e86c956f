export { decrypt, ensureKey, replaceKey } from './keys.ts';
export { presentKey } from './present.ts';
export { EncryptionKey, encryptedFields } from './schemas.ts';
export { findActiveKey, type Holder, type KeyRow, type KeyUse } from './store.ts';
