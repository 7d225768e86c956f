export { issuerOf, issueToken } from './issue.ts';
export { listVerifyingKeys, rotateIdentityKey } from './keys.ts';
