export { type Signable, type VerificationContext, verify, verifyCommits } from './rules.ts';
export { Verification } from './schemas.ts';
