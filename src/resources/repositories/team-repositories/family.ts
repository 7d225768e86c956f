import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as schemas from './schemas.ts';

/** What teams and repositories have with each other. Teams themselves stand before repositories, which give roles to teams. */
export const teamRepositories = family({ name: 'team-repositories', schemas, endpoints: [endpoints], events: {} });
