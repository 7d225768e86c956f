import { pathResource } from '#endpoint/path-resource.ts';
import { Refusal } from '#lib/refusal.ts';
import { branchWords, getNamedBranch } from '#resources/code/branch-names/index.ts';
import { findProtection, findProtectionForUpdate } from './store.ts';

/** The protection of an existing branch. */
export const protection = pathResource({
  name: 'protection',
  words: branchWords,
  below: 'repo',
  async find(lookup, words) {
    const { short } = await getNamedBranch(lookup, words);
    const found = await findProtection(lookup.db, lookup.at.repo.id, short);
    if (!found) throw new Refusal('not_found', 'Branch not protected');
    return found;
  },
  lock: (tx, at) => findProtectionForUpdate(tx, at.protection),
});
