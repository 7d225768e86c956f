export { insertFirstLabels } from './first-labels.ts';
export { insertImportedLabels } from './import-store.ts';
export { presentLabel } from './present.ts';
export { Label } from './schemas.ts';
export { findLabelById, findOrMakeLabels, type LabelRow, listLabelsAfter, replaceLabels } from './store.ts';
