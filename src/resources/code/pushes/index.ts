export { findModifiable, mayModifySome } from './modifying.ts';
export { moveRefs, mustMoveRefs, pushHandlers, type RefMoveRequest } from './move-refs.ts';
export { recoverRefs, recoverUnfinished } from './recovery.ts';
export { FixedRefs, type MoveScope } from './rules.ts';
export { fixRef, isFixed, reserveRef } from './store.ts';
export { refuseWorkflowFiles, WorkflowFilesRefused } from './workflow-files.ts';
