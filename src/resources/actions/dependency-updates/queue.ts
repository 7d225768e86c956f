import type { Id } from '#lib/id.ts';

/** The queue of the bot's work in a repository. It is done one after the other, so that the limits of the repository hold. */
export const queueOf = (repository: Id<'repositories'> | undefined): string => `dependency-updates:${repository}`;
