import { Type } from 'typebox';
import { User } from '#resources/accounts/index.ts';
import { MinimalRepository } from '#resources/repositories/index.ts';
import { Team } from '#resources/teams/index.ts';

/** The parts of payloads by their names, in the documents' words, so that they can be told in the public API's. */
export const payloadParts = Type.Object({
  repository: MinimalRepository,
  forkee: MinimalRepository,
  team: Team,
  member: User,
  sender: User,
});
