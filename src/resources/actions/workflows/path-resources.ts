import { pathResource } from '#endpoint/path-resource.ts';
import { escapedNameWord } from '#endpoint/path-words.ts';
import { asId } from '#lib/id.ts';
import { followAtRequest } from './follow.ts';
import { findWorkflowForUpdate, selectWorkflow, selectWorkflowNamed } from './store.ts';

/**
 * A workflow of a repository, by its id or by the name of its file, for example `ci.yml` (the public API's forms). It reflects
 * the current file, even before the event of the last push is delivered.
 */
export const workflow = pathResource({
  name: 'workflow',
  words: { workflow_id: escapedNameWord },
  below: 'repo',
  async find({ db, at, services: { git }, now }, { workflow_id }) {
    await followAtRequest({ db, git, now }, at.repo);
    const query = /^\d{1,15}$/.test(workflow_id)
      ? selectWorkflow(db, at.repo.id, asId<'workflows'>(Number(workflow_id)))
      : selectWorkflowNamed(db, at.repo.id, workflow_id);
    return query.executeTakeFirst();
  },
  lock: (tx, at) => findWorkflowForUpdate(tx, at.workflow),
});
