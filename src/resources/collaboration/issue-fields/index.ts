export { presentFieldValue } from './present-value.ts';
export { readValues } from './read-values.ts';
export { type DataType, dataTypes, IssueFieldValue, type SomeValue, SomeValues } from './schemas.ts';
export { type FieldRow, seesEventsOfField, seesField } from './store.ts';
export { formatted, isSame, type Value } from './value.ts';
export { findFieldValue, findSameFieldValue, type HeldValue, loadFieldValues, replaceFieldValues } from './value-store.ts';
