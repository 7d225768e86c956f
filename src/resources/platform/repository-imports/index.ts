export { possibleApis, readAddress } from './address.ts';
export type { People } from './attribution.ts';
export { importWithIssues } from './rules.ts';
export { findApi, openSource } from './source.ts';
