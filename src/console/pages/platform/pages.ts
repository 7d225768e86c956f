import type { Page } from '#console/page.ts';
import { homePage } from './home.ts';
import { shortcutsPage } from './shortcuts.ts';

export const platformPages: readonly Page[] = [homePage, shortcutsPage];
