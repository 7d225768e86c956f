import type { Page } from '#console/page.ts';
import { blamePage } from './blame.ts';
import { blobPage } from './blob.ts';
import { branchesPage } from './branches.ts';
import { commitPage } from './commit.ts';
import { allCommitsPage, commitsPage } from './commits.ts';
import { chooseComparisonPage, comparePage } from './compare.ts';
import { findPage } from './find.ts';
import { pullCommitsPage } from './pull-commits.ts';
import { pullFilesPage } from './pull-files.ts';
import { tagsPage } from './tags.ts';
import { treePage } from './tree.ts';

export const codePages: readonly Page[] = [
  allCommitsPage,
  blamePage,
  blobPage,
  branchesPage,
  chooseComparisonPage,
  commitPage,
  commitsPage,
  comparePage,
  findPage,
  pullCommitsPage,
  pullFilesPage,
  tagsPage,
  treePage,
];
