import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as schemas from './schemas.ts';

/** The repositories of teams. The family teams comes before repositories, since repositories give roles to teams. */
export const teamRepositories = family({
  name: 'team-repositories',
  effect: "A team's members get or lose a role in a repository.",
  schemas,
  endpoints: [endpoints],
  events: {},
});
