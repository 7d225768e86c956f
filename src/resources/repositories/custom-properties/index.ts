export { FirstValues, ValuesByName } from './schemas.ts';
export { propertyLists, propertyValues } from './sql.ts';
export { findPropertyByNameForShare, removeAllValues } from './store.ts';
export { setFirstValues } from './value-rules.ts';
