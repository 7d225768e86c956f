import type { Org, Repo, SignedIn } from './viewer.ts';

/** What a rule is told of the change that it makes: by whom and when. Handlers have it as `step`, with the rows of their path. */
export type Step = { by: SignedIn; now: Date };
export type RepoStep = Step & { repo: Repo };
export type OrgStep = Step & { org: Org };
