import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { findTeamForUpdate, selectTeam } from './store.ts';

/** A team of an organization, by its slug. */
export const team = pathResource({
  name: 'team',
  words: { team_slug: slugWord },
  below: 'org',
  query: ({ db, at }, { team_slug }) => selectTeam(db, at.org.id, team_slug),
  lock: (tx, at) => findTeamForUpdate(tx, at.team),
});
