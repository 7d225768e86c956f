import { issueField } from '#resources/collaboration/issue-fields/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    issueField,
    async ({ client }, base) => {
      const { body } = await client.post(`${base}/issue-fields`, { name: fresh('field'), data_type: 'text' });
      return { issue_field_id: String(body.id) };
    },
  ],
]);
