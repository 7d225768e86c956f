export { selectedRepositoryEndpoints } from './endpoints.ts';
export { selectableRepository } from './path-resources.ts';
export { adjustSelection, changeSelection, createSelection } from './rules.ts';
export { SelectedIds, type SelectionMode } from './schemas.ts';
export { listSelected, removeSelection, type SelectionId, selectedIds, selectionIncludes, selectionMode } from './store.ts';
