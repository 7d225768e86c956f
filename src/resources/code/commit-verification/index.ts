export { verify, verifyCommits } from './rules.ts';
export { Verification } from './schemas.ts';
