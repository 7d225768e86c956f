import type { Page } from './page.ts';
import { collaborationPages } from './pages/collaboration/pages.ts';
import { platformPages } from './pages/platform/pages.ts';
import { repositoriesPages } from './pages/repositories/pages.ts';
import { securityPages } from './pages/security/pages.ts';

/** All pages. Each product lists its own. */
export const allPages: readonly Page[] = [...collaborationPages, ...platformPages, ...repositoriesPages, ...securityPages];
