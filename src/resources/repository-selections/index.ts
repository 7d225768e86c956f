export { selectedRepositoryEndpoints } from './endpoints.ts';
export { selectableRepository } from './path-resources.ts';
export { changeSelection, createSelection } from './rules.ts';
export { SelectedIds, type SelectionMode } from './schemas.ts';
export { removeSelection, type SelectionId, selectedIds, selectionIncludes, selectionMode } from './store.ts';
