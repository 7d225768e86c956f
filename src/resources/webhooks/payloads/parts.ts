import { Type } from 'typebox';
import { User } from '#resources/accounts/index.ts';
import { Installation } from '#resources/apps/index.ts';
import { Issue, IssueComment } from '#resources/issues/index.ts';
import { Label } from '#resources/labels/index.ts';
import { Milestone } from '#resources/milestones/index.ts';
import { MinimalRepository } from '#resources/repositories/index.ts';
import { Team } from '#resources/teams/index.ts';

/** The schemas of the parts of payloads. By them, payloads are translated into the words of the public API. */
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
