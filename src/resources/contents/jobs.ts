import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { findRepository, lockRepository, updateRepository } from '#resources/repositories/index.ts';
import { countLanguages, findTip } from './languages.ts';
import { putLanguages } from './store.ts';

/** Counts the languages of the default branch after a push. It looks at the present state, so one run serves all pushes that wait. */
export const measureLanguages = subscription<'push' | 'repository.default_branch_changed', Services>({
  name: 'contents.measure-languages',
  on: ['push', 'repository.default_branch_changed'],
  attempts: 25,
  key: ({ repository }) => String(repository),
  async run({ repository: id }, { db, change, services: { git } }) {
    const repository = id === undefined ? undefined : await findRepository(db, id);
    if (!repository || !(await repositoryExists(repoOf(git, repository.id)))) return;
    const tip = await findTip(git, repository);
    if (tip === undefined) return;
    const bytes = await countLanguages(repoOf(git, repository.id), tip);
    await change(async (tx) => {
      const present = await lockRepository(tx, repository.id);
      // After another push or choice of a branch, the job of that counts, or has counted already.
      if (!present || (await findTip(git, present)) !== tip) return;
      await putLanguages(tx, repository.id, { commit_oid: tip, bytes });
      await updateRepository(tx, repository.id, { language: Object.keys(bytes)[0] ?? null });
    });
  },
});
