import { admin } from './admin/family.ts';
import { assistant } from './assistant/family.ts';
import { billing } from './billing/family.ts';
import { emojis } from './emojis/family.ts';
import { markdown } from './markdown/family.ts';
import { meta } from './meta/family.ts';
import { migrations } from './migrations/family.ts';
import { notifications } from './notifications/family.ts';
import { oauth } from './oauth/family.ts';
import { organizationDeletion } from './organization-deletion/family.ts';
import { repositoryImports } from './repository-imports/family.ts';
import { search } from './search/family.ts';

/**
 * The families of the product *platform* (shared by all other products: search, notifications, webhooks, migrations,
 * administration), in order: a family may import only families above it.
 */
export const platformFamilies = [
  billing,
  assistant,
  organizationDeletion,
  markdown,
  repositoryImports,
  notifications,
  migrations,
  admin,
  meta,
  emojis,
  search,
  oauth,
] as const;
