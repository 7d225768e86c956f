export { findEnforcedSetup, type WantedSetup } from './setups.ts';
