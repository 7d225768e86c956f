import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { blockingIssue, relatedIssue } from '#resources/collaboration/issue-relations/path-resources.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    relatedIssue,
    async ({ client }, base) => {
      // It has a parent, which one of its endpoints shows.
      const { body: parent } = await client.post(`${base}/issues`, { title: fresh('issue') });
      const { body } = await client.post(`${base}/issues`, { title: fresh('issue') });
      await client.post(`${base}/issues/${parent.number}/sub_issues`, { sub_issue_id: body.id });
      return { issue_number: String(body.number) };
    },
  ],
  [
    blockingIssue,
    async ({ client }, base) => {
      const repository = base.slice(0, base.lastIndexOf('/issues/'));
      const { body } = await client.post(`${repository}/issues`, { title: fresh('issue') });
      await client.post(`${base}/dependencies/blocked_by`, { issue_id: body.id });
      return { issue_id: String(body.id) };
    },
  ],
]);
