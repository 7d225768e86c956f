import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/** The default labels of new repositories in the public API, with its colours. */
const firstLabels: [name: string, color: string, description: string][] = [
  ['bug', 'd73a4a', 'A fault'],
  ['documentation', '0075ca', 'About documentation'],
  ['duplicate', 'cfd3d7', 'Reported before'],
  ['enhancement', 'a2eeef', 'A wish'],
  ['good first issue', '7057ff', 'For newcomers'],
  ['help wanted', '008672', 'Help is welcome'],
  ['invalid', 'e4e669', 'Not to be followed'],
  ['question', 'd876e3', 'Asks for an answer'],
  ['wontfix', 'ffffff', 'Will not be done'],
];

/** Gives a new repository its default labels. */
export const insertFirstLabels = (tx: Tx, repository: Id<'repositories'>) =>
  tx
    .insertInto('labels')
    .values(
      firstLabels.map(([name, color, description]) => ({
        repository_id: repository,
        name,
        color,
        description,
        is_default: true,
      })),
    )
    .execute();
