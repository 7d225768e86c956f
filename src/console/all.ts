import type { Page } from './page.ts';
import { actionsPages } from './pages/actions/pages.ts';
import { codePages } from './pages/code/pages.ts';
import { collaborationPages } from './pages/collaboration/pages.ts';
import { platformPages } from './pages/platform/pages.ts';
import { repositoriesPages } from './pages/repositories/pages.ts';

/** All pages. Each product lists its own. */
export const allPages: readonly Page[] = [
  ...actionsPages,
  ...codePages,
  ...collaborationPages,
  ...platformPages,
  ...repositoriesPages,
];
