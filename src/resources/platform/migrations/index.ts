export { importArchive } from './import/import.ts';
