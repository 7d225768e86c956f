import { thread } from '#resources/platform/notifications/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    thread,
    async ({ client, world, org, owner, repo }) => {
      const colleague = await world.user(fresh('colleague'));
      await world.member(org, colleague, 'owner');
      const base = `/repos/${org.login}/${repo.name}`;
      const { body } = await client.post(`${base}/issues`, { title: 'The pump leaks' });
      await (await world.as(colleague)).post(`${base}/issues/${body.number}/comments`, { body: 'It does so here as well.' });
      await world.settle();
      const { id } = await world.db
        .selectFrom('notification_threads as t')
        .innerJoin('notification_subjects as s', 's.id', 't.subject_id')
        .select('t.id')
        .where('t.account_id', '=', owner.id)
        .where('s.issue_id', '=', body.id)
        .executeTakeFirstOrThrow();
      return { thread_id: String(id) };
    },
  ],
]);
