export { FirstValues, ValuesByName } from './schemas.ts';
export { propertyLists, propertyValues } from './sql.ts';
export { removeAllValues } from './store.ts';
export { setFirstValues } from './value-rules.ts';
