import { type Static, Type } from 'typebox';
import { Timestamp } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';

/** A starred repository with the time of the star, for the media type `star`. */
export const StarredRepository = Type.Object({ starred_at: Timestamp, repo: MinimalRepository });
export type StarredRepository = Static<typeof StarredRepository>;

/** An account that starred a repository, with the time of the star, for the media type `star`. */
export const Stargazer = Type.Object({ starred_at: Timestamp, user: User });
export type Stargazer = Static<typeof Stargazer>;
