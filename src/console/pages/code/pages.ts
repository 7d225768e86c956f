import type { Page } from '#console/page.ts';
import { pullCommitsPage } from './pull-commits.ts';

export const codePages: readonly Page[] = [pullCommitsPage];
