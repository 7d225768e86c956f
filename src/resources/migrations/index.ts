export { type ImportParts, importArchive, type Outcome } from './import/import.ts';
