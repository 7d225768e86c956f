import { family } from '#resources/family.ts';

/** Imports are started by the command line alone. */
export const repositoryImports = family({ name: 'repository-imports' });
