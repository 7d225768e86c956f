import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { asId } from '#lib/id.ts';
import { findWorkflowForUpdate, selectWorkflow, selectWorkflowNamed } from './store.ts';

/** A workflow of a repository, by its id or by the name of its file, as `ci.yml` (the public API's forms). */
export const workflow = pathResource({
  name: 'workflow',
  words: { workflow_id: slugWord },
  below: 'repo',
  query: ({ db, at }, { workflow_id }) =>
    /^\d{1,15}$/.test(workflow_id)
      ? selectWorkflow(db, at.repo.id, asId<'workflows'>(Number(workflow_id)))
      : selectWorkflowNamed(db, at.repo.id, workflow_id),
  lock: (tx, at) => findWorkflowForUpdate(tx, at.workflow),
});
