export { insertFirstLabels } from './first-labels.ts';
export { insertImportedLabels, replaceLabels } from './import-store.ts';
export { presentLabel } from './present.ts';
export { Label } from './schemas.ts';
export { findOrMakeLabels, insertLabel, type LabelRow, listLabelsAfter, loadLabels } from './store.ts';
