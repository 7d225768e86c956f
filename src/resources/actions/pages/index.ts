export { proofOf, proofPath } from './health.ts';
export { pagesLimits } from './limits.ts';
export { isFile } from './measure.ts';
export {
  comeBackPath,
  exchangeCode,
  secretOf,
  sessionMinutes,
  signInAddress,
} from './readers.ts';
export { type AskedAddress, keyOfAddress, loadServedSites, type ServedSite, type SiteAddress } from './served-sites.ts';
