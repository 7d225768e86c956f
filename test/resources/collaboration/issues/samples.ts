import type { AnyPathResource } from '#endpoint/path-resource.ts';
import {
  assignee,
  comment,
  commentReaction,
  fieldValue,
  issue,
  issueEvent,
  issueLabel,
  issueReaction,
} from '#resources/collaboration/issues/path-resources.ts';
import type { Sample, SampleStage, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

/** Opens an issue below the address of a repository; its number, and its own address. */
async function openIssue({ client }: SampleStage, base: string) {
  const { body } = await client.post(`${base}/issues`, { title: fresh('issue') });
  return { number: String(body.number), path: `${base}/issues/${body.number}` };
}

const reaction: Sample = async ({ client }, base) => {
  const { body } = await client.post(`${base}/reactions`, { content: 'heart' });
  return { reaction_id: String(body.id) };
};

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [issue, async (stage, base) => ({ issue_number: (await openIssue(stage, base)).number })],
  [
    comment,
    async (stage, base) => {
      const { path } = await openIssue(stage, base);
      const { body } = await stage.client.post(`${path}/comments`, { body: 'Here, too.' });
      return { comment_id: String(body.id) };
    },
  ],
  [
    issueEvent,
    async (stage, base) => {
      const { path } = await openIssue(stage, base);
      await stage.client.put(`${path}/lock`);
      const { body } = await stage.client.get(`${path}/events`);
      return { event_id: String(body[0].id) };
    },
  ],
  [
    assignee,
    async ({ world, org }) => {
      const user = await world.user();
      await world.member(org, user);
      return { assignee: user.login };
    },
  ],
  [
    issueLabel,
    async ({ client }, base) => {
      const name = fresh('label');
      await client.post(`${base}/labels`, { labels: [name] });
      return { name };
    },
  ],
  [
    fieldValue,
    async ({ client, org }, base) => {
      const { body } = await client.post(`/orgs/${org.login}/issue-fields`, { name: fresh('field'), data_type: 'text' });
      await client.post(`${base}/issue-field-values`, { issue_field_values: [{ field_id: body.id, value: 'x' }] });
      return { issue_field_id: String(body.id) };
    },
  ],
  [issueReaction, reaction],
  [commentReaction, reaction],
]);
