export { type DataType, dataTypes } from './schemas.ts';
export { type FieldRow, listFields, loadOptions, type OptionRow, sawField, seesField } from './store.ts';
