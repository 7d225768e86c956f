export { explainConfiguration } from './explain.ts';
export { findEnforcedSetup, type WantedSetup } from './setups.ts';
