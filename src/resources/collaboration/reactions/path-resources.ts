import { type AnyPathResource, type Lookup, pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findReactionById, type Subject } from './store.ts';

/** A reaction to the subject before it in the path, by its id. The subject is locked too, since its row counts the reactions. */
export const reactionOf = <Above extends AnyPathResource>(below: Above, subjectOf: (at: Lookup<Above>['at']) => Subject) =>
  pathResource({
    name: 'reaction',
    words: { reaction_id: idOf('reactions') },
    below,
    find: ({ db, at }, { reaction_id }) => findReactionById(db, subjectOf(at), reaction_id),
    async lock(tx, at) {
      await below.lock?.(tx, at);
      return findReactionById(tx, subjectOf(at), at.reaction.id);
    },
  });
