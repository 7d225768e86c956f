export {
  completeRegistries,
  listUsable as listUsableRegistries,
  needExchange,
  registriesFor,
  selectRegistries,
} from './credentials.ts';
export type { Exchanged } from './exchange/exchange.ts';
export { audienceOf } from './exchange/exchanges.ts';
export { rotateRegistryKey } from './keys.ts';
export { type Configuration, type ConfigurationFile, configurationFor } from './package-managers.ts';
export { type Credential, checkSecret, type OidcRegistry } from './usable.ts';
