import type { Page } from '#console/page.ts';
import { explainPage } from './explain.ts';
import { homePage } from './home.ts';
import { notificationsPage } from './notifications.ts';
import { repositorySearchPage, searchPage } from './search/page.ts';
import { spacePage } from './space.ts';

export const platformPages: readonly Page[] = [
  homePage,
  explainPage,
  notificationsPage,
  searchPage,
  repositorySearchPage,
  spacePage,
];
