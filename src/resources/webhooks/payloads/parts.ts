import { Type } from 'typebox';
import { User } from '#resources/accounts/index.ts';
import { Installation } from '#resources/apps/index.ts';
import { Issue, IssueComment } from '#resources/issues/index.ts';
import { Label } from '#resources/labels/index.ts';
import { Milestone } from '#resources/milestones/index.ts';
import { MinimalRepository } from '#resources/repositories/index.ts';
import { Team } from '#resources/teams/index.ts';

/** The parts of payloads by their names, in the documents' words, so that they can be told in the public API's. */
export const payloadParts = Type.Object({
  repository: MinimalRepository,
  forkee: MinimalRepository,
  team: Team,
  member: User,
  sender: User,
  issue: Issue,
  comment: IssueComment,
  label: Label,
  milestone: Milestone,
  assignee: User,
  installation: Installation,
});
