export { type Configuration, type ConfigurationFile, registryFolder } from './configuration/parts.ts';
export {
  completeRegistries,
  listForServer as listRegistriesForServer,
  needExchange,
  registriesFor,
  selectRegistries,
} from './credentials.ts';
export type { Exchanged } from './exchange/exchange.ts';
export { audienceOf } from './exchange/exchanges.ts';
export { rotateRegistryKey } from './keys.ts';
export { configurationFor } from './package-managers.ts';
export { type Credential, checkSecret, type OidcRegistry } from './usable.ts';
