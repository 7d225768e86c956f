import type { Form } from './form.ts';
import type { Page } from './page.ts';
import { actionsPages } from './pages/actions/pages.ts';
import { codePages } from './pages/code/pages.ts';
import { collaborationPages } from './pages/collaboration/pages.ts';
import { identityPages } from './pages/identity/pages.ts';
import { platformForms } from './pages/platform/forms.ts';
import { platformPages } from './pages/platform/pages.ts';
import { repositoriesPages } from './pages/repositories/pages.ts';
import { securityPages } from './pages/security/pages.ts';

/** All pages. Each product lists its own. */
export const allPages: readonly Page[] = [
  ...actionsPages,
  ...codePages,
  ...collaborationPages,
  ...identityPages,
  ...platformPages,
  ...repositoriesPages,
  ...securityPages,
];

/** All forms. Each product lists its own. */
export const allForms: readonly Form[] = [...platformForms];
