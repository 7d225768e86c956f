export {
  actionsAppOf,
  assistantAppOf,
  codeScanningAppOf,
  createJobToken,
  dependencyBotAppOf,
  dependencyBotOn,
  findActionsApp,
  findAssistantBot,
  findDependencyBot,
} from './built-in.ts';
export { assistantLogin } from './built-in-slugs.ts';
export { type AppChange, acceptPermissions, changeApp, waitingFor } from './changes.ts';
export { knownClientOf } from './client-ids.ts';
export { uninstallAll } from './installations.ts';
export { checkJobMayApprove, isOfJob } from './job-tokens.ts';
export { knownClientAppOf } from './known-clients.ts';
export { appLimits } from './limits.ts';
export { offerManifest, readManifest, type SentManifest } from './manifests.ts';
export { appOf } from './path-resources.ts';
export { presentApp, presentAppOrNull, presentAuthorization } from './present.ts';
export {
  type AppKeys,
  checkAppName,
  createApp,
  createInstallationToken,
  installApp,
  installAppByName,
  makeAppKeys,
} from './rules.ts';
export { App, Authorization } from './schemas.ts';
export {
  type AppRow,
  findAppById,
  findAppBySlug,
  findInstallationById,
  findInstallationOn,
  type InstallationOfApp,
  type LoadedApp,
  listInstalledApps,
  listOutdatedOn,
  loadApps,
  loadBuiltInApps,
  removeExpiredManifestCodes,
} from './store.ts';
