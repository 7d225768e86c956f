import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Reactable } from '#resources/collaboration/reactions/index.ts';
import { countReleaseReaction, type ReleaseRow } from './store.ts';

type AtRelease = { release: ReleaseRow };

export const subjectOfRelease = ({ release }: AtRelease) => ({ release: release.id });

export const reactableRelease = async (
  { tx }: WriteScope,
  _action: RepositoryAction,
  { release }: AtRelease,
): Promise<Reactable> => ({
  subject: subjectOfRelease({ release }),
  count: (content, by) => countReleaseReaction(tx, release.id, content, by),
});
