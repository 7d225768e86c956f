import { family } from '#resources/family.ts';

/** Imports are started by the command line alone. */
export const repositoryImports = family({
  name: 'repository-imports',
  interpreters: [
    { reads: 'replies of other servers in JSON', runs: 'steps', modules: ['source.ts'], bounds: ['1 MiB of a reply'] },
  ],
});
