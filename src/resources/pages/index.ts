export { proofOf, proofPath } from './health.ts';
export { isFile } from './measure.ts';
export { keyOfAddress, loadServedSites, type ServedSite, type SiteAddress } from './served-sites.ts';
