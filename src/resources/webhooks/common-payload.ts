import { findRepoById } from '#access/lookup.ts';
import { anonymous, type RepositoryRow } from '#access/viewer.ts';
import type { Context } from '#endpoint/context.ts';
import type { GitStore } from '#git/repo.ts';
import { loadAccounts, presentUser } from '#resources/accounts/index.ts';
import type { EventScope, PayloadContext } from '#resources/event-kinds.ts';
import { presentOrganizationOf } from '#resources/organizations/index.ts';
import { presentRepositories } from '#resources/repositories/index.ts';

/** A repository as payloads show it: without a viewer's permissions. */
export async function presentRepository({ db, links }: Context, row: RepositoryRow): Promise<object | undefined> {
  const [presented] = await presentRepositories({ db, links, viewer: anonymous }, [row]);
  return presented;
}

/** The context of the families' payload builders. */
export const payloadContext = (context: Context & { git: GitStore }): PayloadContext => ({
  ...context,
  findRepository: async ({ repository }) =>
    repository === undefined ? undefined : findRepoById(context.db, anonymous, repository),
  presentRepository: (row) => presentRepository(context, row),
});

/** The parts of every payload: `sender`, and `organization` where the event happened in one. */
export async function commonParts(context: Context, event: EventScope): Promise<Record<string, unknown>> {
  const { db, links } = context;
  const accounts = await loadAccounts(db, event.actor === undefined ? [event.owner] : [event.owner, event.actor]);
  const owner = accounts.get(event.owner);
  const sender = (event.actor === undefined ? undefined : accounts.get(event.actor)) ?? owner;
  return {
    ...(owner?.kind === 'organization' ? { organization: await presentOrganizationOf(context, owner) } : {}),
    ...(sender ? { sender: presentUser(links, sender) } : {}),
  };
}
