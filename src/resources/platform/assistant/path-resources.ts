import { pathResource } from '#endpoint/path-resource.ts';
import { numberWord, slugWord } from '#endpoint/path-words.ts';
import { OneOf } from '#lib/shape.ts';
import { actorTypes } from './schemas.ts';
import { findCollaborator, findCollaboratorForUpdate, findVisibleSpace, lockSpace } from './space-store.ts';

/** A space of an organization, if the viewer may see it. */
export const space = pathResource({
  name: 'space',
  words: { space_number: numberWord },
  below: 'org',
  find: ({ db, at, viewer }, { space_number }) => findVisibleSpace(db, at.org, viewer, space_number),
  lock: (tx, at) => lockSpace(tx, at.space),
});

/** A user or team with a role in a space. */
export const collaborator = pathResource({
  name: 'collaborator',
  words: { actor_type: OneOf(actorTypes), actor_identifier: slugWord },
  below: space,
  find: ({ db, at }, { actor_type, actor_identifier }) => findCollaborator(db, at.space, actor_type, actor_identifier),
  lock: (tx, at) => findCollaboratorForUpdate(tx, at.collaborator),
});
