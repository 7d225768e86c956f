import type { Page } from '#console/page.ts';
import { homePage } from './home.ts';
import { notificationsPage } from './notifications.ts';
import { repositorySearchPage, searchPage } from './search/page.ts';

export const platformPages: readonly Page[] = [homePage, notificationsPage, searchPage, repositorySearchPage];
