import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { repositoryAdvisoryEvents } from './events.ts';
import * as globalEndpoints from './global-endpoints.ts';
import { endCollaborationOfFormerMembers } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** Advisories about vulnerabilities of repositories of this server. */
export const repositoryAdvisories = family({
  name: 'repository-advisories',
  effect: 'A vulnerability is reported, fixed in a private fork, and published with its advisory.',
  page: 'security-advisories.md',
  limits,
  schemas,
  endpoints: [endpoints, globalEndpoints],
  events: repositoryAdvisoryEvents,
  subscriptions: [endCollaborationOfFormerMembers],
  payloadParts: { repository_advisory: schemas.RepositoryAdvisory, security_advisory: schemas.SecurityAdvisory },
});
