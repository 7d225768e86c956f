export { offerManifest } from './manifests.ts';
export { presentApp, presentAppOrNull, presentInstallations } from './present.ts';
export { type AppKeys, createApp, createInstallationToken, installApp, makeAppKeys } from './rules.ts';
export { App, Authorization, Installation } from './schemas.ts';
export {
  type AppRow,
  findAppById,
  findAppBySlug,
  findInstallation,
  findInstallationById,
  findInstallationOn,
  type InstallationOfApp,
  type InstallationRow,
  listFirstReached,
  loadApps,
} from './store.ts';
