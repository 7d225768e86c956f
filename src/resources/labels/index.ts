export { presentLabel } from './present.ts';
export { Label } from './schemas.ts';
export { findLabel, findLabelById, findOrMakeLabels, type LabelRow } from './store.ts';
