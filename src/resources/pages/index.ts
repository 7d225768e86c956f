export { proofOf, proofPath } from './health.ts';
export { isFile } from './measure.ts';
export { removeExpiredCodes, removeExpiredSessions } from './reader-store.ts';
export {
  comeBackPath,
  exchangeCode,
  findWebsite,
  offerCode,
  readSignIn,
  secretOf,
  sessionMinutes,
  signInAddress,
  signInPath,
} from './readers.ts';
export { type AskedAddress, keyOfAddress, loadServedSites, type ServedSite, type SiteAddress } from './served-sites.ts';
