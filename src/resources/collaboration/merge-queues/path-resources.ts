import { pathResource } from '#endpoint/path-resource.ts';
import { nameWord, numberWord } from '#endpoint/path-words.ts';
import { shortNameOf } from '#git/refs/ref-name.ts';
import { selectEntryByNumber } from './store.ts';

/** The entry of a pull request in a merge queue: the present one, or the last. Its queue alone changes it. */
export const queueEntry = pathResource({
  name: 'queueEntry',
  words: { pull_number: numberWord },
  below: 'repo',
  query: ({ db, at }, { pull_number }) => selectEntryByNumber(db, at.repo.id, pull_number),
});

/** A branch that may have a merge queue, by its name. It need not exist. */
export const queueBranch = pathResource({
  name: 'queueBranch',
  words: { branch: nameWord },
  below: 'repo',
  find: async (_lookup, { branch }) => ({ name: shortNameOf(branch) }),
});
