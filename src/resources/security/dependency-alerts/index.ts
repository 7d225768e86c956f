export type { VulnerabilityRow as PackageVulnerabilityRow } from './advisory-store.ts';
export { loadVulnerabilities as loadPackageVulnerabilities } from './advisory-store.ts';
export { advisoryPackage, announceAdvisory, scoreOf } from './own-advisories.ts';
export { presentScores } from './present.ts';
export { countOpenAlerts, listMendable, listMendedAdvisories, type MendableAlert } from './store.ts';
export { highestVersion, isComparable, isVulnerable, rangeText, type Vulnerable, versionCheck } from './versions.ts';
