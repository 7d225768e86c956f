import { codeOwners } from './code-owners/family.ts';
import { commitComments } from './commit-comments/family.ts';
import { issueFields } from './issue-fields/family.ts';
import { issueRelations } from './issue-relations/family.ts';
import { issues } from './issues/family.ts';
import { mergeQueues } from './merge-queues/family.ts';
import { milestones } from './milestones/family.ts';
import { pulls } from './pulls/family.ts';
import { reactions } from './reactions/family.ts';
import { releases } from './releases/family.ts';
import { reviews } from './reviews/family.ts';
import { timelines } from './timelines/family.ts';

/**
 * The families of the product *collaboration* (issues, pull requests, reviews and releases), in their order: a family may import
 * only families above it.
 */
export const collaborationFamilies = [
  milestones,
  reactions,
  issueFields,
  issues,
  issueRelations,
  pulls,
  codeOwners,
  reviews,
  mergeQueues,
  timelines,
  commitComments,
  releases,
] as const;
