import type { Page } from '#console/page.ts';
import { commitPage } from './commit.ts';
import { chooseComparisonPage, comparePage } from './compare.ts';
import { pullCommitsPage } from './pull-commits.ts';
import { pullFilesPage } from './pull-files.ts';

export const codePages: readonly Page[] = [commitPage, chooseComparisonPage, comparePage, pullCommitsPage, pullFilesPage];
