export { listUsable as listUsableRegistries, loadNamedRegistries, registriesFor, selectRegistries } from './credentials.ts';
export { rotateRegistryKey } from './keys.ts';
export { type Configuration, type ConfigurationFile, type Credential, configurationFor } from './package-managers.ts';
