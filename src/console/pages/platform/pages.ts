import type { Page } from '#console/page.ts';
import { explainPage } from './explain.ts';
import { homePage } from './home.ts';
import { notificationsPage } from './notifications.ts';
import { repositorySearchPage, searchPage } from './search/page.ts';

export const platformPages: readonly Page[] = [homePage, explainPage, notificationsPage, searchPage, repositorySearchPage];
