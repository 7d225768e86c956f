import type { Org, Repo, SignedIn } from './viewer.ts';

/** What a rule knows of the change that it makes: by whom and when. Handlers have it as `action`, with the rows of their path. */
export type ActionContext = { by: SignedIn; now: Date };
export type RepositoryAction = ActionContext & { repo: Repo };
export type OrganizationAction = ActionContext & { org: Org };
