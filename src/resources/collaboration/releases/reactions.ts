import type { RepositoryAction } from '#access/action.ts';
import type { Tx } from '#database/connect.ts';
import type { Reactable } from '#resources/collaboration/reactions/index.ts';
import { countReleaseReaction, type ReleaseRow } from './store.ts';

type AtRelease = { release: ReleaseRow };

export const subjectOfRelease = ({ release }: AtRelease) => ({ release: release.id });

export const reactableRelease = async (tx: Tx, _action: RepositoryAction, { release }: AtRelease): Promise<Reactable> => ({
  subject: subjectOfRelease({ release }),
  count: (content, by) => countReleaseReaction(tx, release.id, content, by),
});
