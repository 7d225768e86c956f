import type { Page } from '#console/page.ts';
import { explainPage } from './explain.ts';
import { homePage } from './home.ts';
import { notificationsPage } from './notifications.ts';
import { confirmPage, passwordPage, sessionsPage } from './own-settings.ts';
import { repositorySearchPage, searchPage } from './search/page.ts';
import { shortcutsPage } from './shortcuts.ts';
import { spacePage } from './space.ts';

export const platformPages: readonly Page[] = [
  homePage,
  explainPage,
  notificationsPage,
  searchPage,
  repositorySearchPage,
  spacePage,
  sessionsPage,
  passwordPage,
  confirmPage,
  shortcutsPage,
];
