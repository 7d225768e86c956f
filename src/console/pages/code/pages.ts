import type { Page } from '#console/page.ts';
import { branchesPage } from './branches.ts';
import { commitPage } from './commit.ts';
import { chooseComparisonPage, comparePage } from './compare.ts';
import { pullCommitsPage } from './pull-commits.ts';
import { pullFilesPage } from './pull-files.ts';
import { tagsPage } from './tags.ts';

export const codePages: readonly Page[] = [
  branchesPage,
  chooseComparisonPage,
  commitPage,
  comparePage,
  pullCommitsPage,
  pullFilesPage,
  tagsPage,
];
