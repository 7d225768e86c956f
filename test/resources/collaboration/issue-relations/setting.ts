import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Answer, Client } from '#test/support/client.ts';
import { fresh, world } from '#test/support/world.ts';

/** A repository with issues, of which each test takes what it needs. */
export async function setting(visibility: RepositoryRow['visibility'] = 'public') {
  const w = await world();
  const owner = await w.user();
  const org = await w.org(owner);
  const client = await w.as(owner);
  return { w, owner, org, client, ...(await repositoryOf(org, owner, client, visibility)) };
}

/** Another repository of an account. */
export async function repositoryOf(
  account: Account,
  by: Account,
  client: Client,
  visibility: RepositoryRow['visibility'] = 'public',
) {
  const { repo } = await world();
  const engine = await repo(account, { by, visibility });
  const path = `/repos/${account.login}/${engine.name}`;
  /** Opens an issue; its id, number and address. */
  const open = async (title = fresh('issue')): Promise<{ id: number; number: number; at: string }> => {
    const { body } = await client.post(`${path}/issues`, { title });
    return { id: body.id, number: body.number, at: `${path}/issues/${body.number}` };
  };
  return { engine, path, open };
}

export const titlesIn = ({ body }: Answer): string[] => body.map(({ title }: { title: string }) => title);
export const eventsIn = ({ body }: Answer): string[] => body.map(({ event }: { event: string }) => event);
