import type { Org, Repo, SignedIn } from './viewer.ts';

/** The author and the time of a change. Handlers pass it to rules as `action`, with the rows of their path. */
export type ActionContext = { by: SignedIn; now: Date };
export type RepositoryAction = ActionContext & { repo: Repo };
export type OrganizationAction = ActionContext & { org: Org };
