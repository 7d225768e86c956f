import { pathResource } from '#endpoint/path-resource.ts';
import { idOf, slugWord } from '#endpoint/path-words.ts';
import { lockTeam } from './rules.ts';
import { selectVisibleTeam } from './store.ts';

/** A team by its id, which also identifies its organization. */
export const teamById = pathResource({
  name: 'team',
  words: { team_id: idOf('teams') },
  below: 'org',
  query: ({ db, at, viewer }, { team_id }) => selectVisibleTeam(db, viewer, at.org.id, { id: team_id }),
  lock: (tx, at) => lockTeam(tx, at.team),
});

/** A team of an organization, by its slug. */
export const team = pathResource({
  name: 'team',
  words: { team_slug: slugWord },
  below: 'org',
  byId: teamById,
  query: ({ db, at, viewer }, { team_slug }) => selectVisibleTeam(db, viewer, at.org.id, { slug: team_slug }),
  lock: (tx, at) => lockTeam(tx, at.team),
});
