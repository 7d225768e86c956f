import { pathResource } from '#endpoint/path-resource.ts';
import { Refusal } from '#lib/refusal.ts';
import { branch } from '#resources/branch-names/index.ts';
import { findProtection, findProtectionForUpdate } from './store.ts';

/** The protection of a branch that there is. */
export const protection = pathResource({
  name: 'protection',
  words: {},
  below: branch,
  async find({ db, at }) {
    const found = await findProtection(db, at.repo.id, at.branch.short);
    if (!found) throw new Refusal('not_found', 'Branch not protected');
    return found;
  },
  lock: (tx, at) => findProtectionForUpdate(tx, at.protection),
});
