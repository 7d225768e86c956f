import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Client } from '#test/support/client.ts';
import type { World } from '#test/support/world.ts';

type Repo = RepositoryRow & { owner: Account };

export type Stage = {
  readonly repo: Repo;
  /** The address of the repository in the API. */
  readonly base: string;
  /** Opens an issue as somebody, and gives its address. */
  open(by: Account, wanted?: Record<string, unknown>): Promise<string>;
  comment(by: Account, issue: string, body?: string): Promise<{ id: number; url: string }>;
};

/** A repository whose owner watches it. */
export async function makeStage(w: World, owner: Account, visibility: RepositoryRow['visibility'] = 'public'): Promise<Stage> {
  const repo = await w.repo(owner, { visibility, by: owner });
  const base = `/repos/${owner.login}/${repo.name}`;
  await w.settle();
  return {
    repo,
    base,
    async open(by, wanted = {}) {
      const { body } = await (await w.as(by)).post(`${base}/issues`, { title: 'The pump leaks', ...wanted });
      await w.settle();
      return `${base}/issues/${body.number}`;
    },
    async comment(by, issue, body = 'It does so here as well.') {
      const { body: made } = await (await w.as(by)).post(`${issue}/comments`, { body });
      await w.settle();
      return made;
    },
  };
}

type Shown = { id: string; reason: string; unread: boolean; title: string };

/** What an inbox shows. */
export async function inbox(client: Client, path = '/notifications'): Promise<Shown[]> {
  const { body } = await client.get(path);
  return body.map(({ id, reason, unread, subject }: Omit<Shown, 'title'> & { subject: { title: string } }) => ({
    id,
    reason,
    unread,
    title: subject.title,
  }));
}

export const reasonsIn = async (client: Client, path?: string): Promise<string[]> =>
  (await inbox(client, path)).map(({ reason }) => reason);

/** The statuses of all requests to a thread: reading it, marking it as read and as done, and those of its subscription. */
export async function threadStatuses(client: Client, path: string): Promise<number[]> {
  const answers = [
    await client.get(path),
    await client.patch(path),
    await client.delete(path),
    await client.get(`${path}/subscription`),
    await client.put(`${path}/subscription`, { ignored: true }),
    await client.delete(`${path}/subscription`),
  ];
  return answers.map(({ status }) => status);
}
