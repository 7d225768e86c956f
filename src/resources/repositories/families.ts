import { actionsPermissions } from './actions-permissions/family.ts';
import { apps } from './apps/family.ts';
import { autolinks } from './autolinks/family.ts';
import { collaborators } from './collaborators/family.ts';
import { customProperties } from './custom-properties/family.ts';
import { deployKeys } from './deploy-keys/family.ts';
import { gitignore } from './gitignore/family.ts';
import { immutableReleases } from './immutable-releases/family.ts';
import { interactionLimits } from './interaction-limits/family.ts';
import { labels } from './labels/family.ts';
import { licenses } from './licenses/family.ts';
import { repositories } from './repositories/family.ts';
import { repositorySecurity } from './repository-security/family.ts';
import { repositorySelections } from './repository-selections/family.ts';
import { stars } from './stars/family.ts';
import { teamRepositories } from './team-repositories/family.ts';
import { tokenApprovals } from './token-approvals/family.ts';
import { watching } from './watching/family.ts';

/**
 * The families of the product *repositories* (repositories with their settings, and access to them), in order: a family may
 * import only families above it.
 */
export const repositoriesFamilies = [
  licenses,
  gitignore,
  labels,
  customProperties,
  repositories,
  tokenApprovals,
  repositorySecurity,
  interactionLimits,
  repositorySelections,
  immutableReleases,
  actionsPermissions,
  collaborators,
  teamRepositories,
  watching,
  stars,
  autolinks,
  deployKeys,
  apps,
] as const;
