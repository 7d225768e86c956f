export { registriesFor } from './credentials.ts';
export { rotateRegistryKey } from './keys.ts';
