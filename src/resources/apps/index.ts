export { offerManifest } from './manifests.ts';
export { presentApp, presentInstallations } from './present.ts';
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
} from './store.ts';
