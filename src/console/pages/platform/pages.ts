import type { Page } from '#console/page.ts';
import { homePage } from './home.ts';

export const platformPages: readonly Page[] = [homePage];
