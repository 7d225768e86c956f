// What searches are told of updates that are proposed already.
import type { UpdateRequest } from '#resources/security/dependency-bot/index.ts';
import type { ProposalRow } from './store.ts';

/** The open proposals for an ecosystem and a directory, among those of a repository. */
export const openUpdates = (
  proposals: readonly ProposalRow[],
  { ecosystem, directory }: Pick<UpdateRequest, 'ecosystem' | 'directory'>,
): UpdateRequest['open'] =>
  proposals
    .filter((row) => row.ecosystem === ecosystem && row.directory === directory)
    .map(({ group_name, dependencies }) => ({
      ...(group_name === null ? {} : { group: group_name }),
      dependencies: dependencies.map(({ name, to }) => ({ name, to })),
    }));
