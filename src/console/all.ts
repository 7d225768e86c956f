import type { Page } from './page.ts';
import { issuePage } from './pages/collaboration/issue.ts';
import { homePage } from './pages/platform/home.ts';
import { overviewPage } from './pages/repositories/overview.ts';

/** All pages. */
export const allPages: readonly Page[] = [homePage, overviewPage, issuePage];
