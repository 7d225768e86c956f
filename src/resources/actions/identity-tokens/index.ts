export { issuerOf, issueToken, type JobIdentity, loadSubject } from './issue.ts';
export { listVerifyingKeys, rotateIdentityKey } from './keys.ts';
