import type { Page } from '#console/page.ts';
import { homePage } from './home.ts';
import { confirmPage, passwordPage, sessionsPage } from './own-settings.ts';
import { shortcutsPage } from './shortcuts.ts';

export const platformPages: readonly Page[] = [homePage, sessionsPage, passwordPage, confirmPage, shortcutsPage];
