export { type License, other } from './catalogue.ts';
export { isLesser, licenseFileNames } from './files.ts';
export { detectorVersion, recognizeLicense } from './matching.ts';
export { presentLicense } from './present.ts';
export { SimpleLicense } from './schemas.ts';
export { licenseText } from './texts.ts';
