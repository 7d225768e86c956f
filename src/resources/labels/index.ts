export { presentLabel } from './present.ts';
export { Label } from './schemas.ts';
export { findLabel, findOrMakeLabels, type LabelRow } from './store.ts';
