import { type Endpoint, isEndpoint } from '#endpoint/endpoint.ts';
import type { Services } from '#endpoint/services.ts';
import type { AnySubscription } from '#events/subscription.ts';
import type { Job } from '#jobs/job.ts';
import * as accounts from './accounts/endpoints.ts';
import * as collaborators from './collaborators/endpoints/collaborators.ts';
import * as repositoryInvitations from './collaborators/endpoints/invitations.ts';
import * as outsideCollaborators from './collaborators/endpoints/outside.ts';
import * as ownInvitations from './collaborators/endpoints/own-invitations.ts';
import * as members from './members/endpoints.ts';
import * as organizations from './organizations/endpoints.ts';
import { indexCode, indexCommits, measure, settlePushes, sweepPushed, sweepUnfinished, tidy } from './pushes/jobs.ts';
import * as repositoryCopies from './repositories/endpoints/copies.ts';
import * as repositoryLists from './repositories/endpoints/lists.ts';
import * as repositories from './repositories/endpoints/repositories.ts';
import { removeFolder } from './repositories/jobs.ts';
import * as search from './search/endpoints.ts';
import * as ownTeams from './teams/endpoints/own.ts';

/** The families in their order: a family may import only families above it. */
const families: Record<string, readonly Record<string, unknown>[]> = {
  accounts: [accounts],
  members: [members],
  organizations: [organizations],
  teams: [ownTeams],
  repositories: [repositories, repositoryLists, repositoryCopies],
  collaborators: [collaborators, repositoryInvitations, ownInvitations, outsideCollaborators],
  search: [search],
};

/** Every endpoint, with the family that it belongs to. */
export const allEndpoints: readonly (Endpoint & { readonly family: string })[] = Object.entries(families).flatMap(
  ([family, modules]) =>
    modules.flatMap((exported) =>
      Object.values(exported)
        .filter(isEndpoint)
        .map((endpoint) => ({ ...endpoint, family })),
    ),
);

/** Everything that is done in the background because something happened. */
export const allSubscriptions: readonly AnySubscription<Services>[] = [removeFolder, indexCode, indexCommits, measure, tidy];

/** Background work beside that: by the clock, or asked for by a rule. */
export const allJobs: readonly Job<never, Services>[] = [settlePushes, sweepUnfinished, sweepPushed];
