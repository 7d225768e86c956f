import { workflow } from '#resources/actions/workflows/path-resources.ts';
import { pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import type { Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map([
  [
    workflow,
    async ({ world, repo, db }) => {
      await pushWorkflow(world, repo);
      const { id } = await db.selectFrom('workflows').select('id').where('repository_id', '=', repo.id).executeTakeFirstOrThrow();
      return { workflow_id: String(id) };
    },
  ],
]);
