// What searches are told of updates that are proposed already.
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { UpdateRequest } from '#resources/security/dependency-bot/index.ts';
import { listOpenProposals } from './store.ts';

/** The open proposals for an ecosystem and a directory. */
export async function openUpdates(
  db: Db,
  repository: Id<'repositories'>,
  { ecosystem, directory }: Pick<UpdateRequest, 'ecosystem' | 'directory'>,
): Promise<UpdateRequest['open']> {
  const rows = await listOpenProposals(db, repository);
  return rows
    .filter((row) => row.ecosystem === ecosystem && row.directory === directory)
    .map(({ group_name, dependencies }) => ({
      ...(group_name === null ? {} : { group: group_name }),
      dependencies: dependencies.map(({ name, to }) => ({ name, to })),
    }));
}
