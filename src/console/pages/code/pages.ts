import type { Page } from '#console/page.ts';
import { blamePage } from './blame.ts';
import { blobPage } from './blob.ts';
import { allCommitsPage, commitsPage } from './commits.ts';
import { findPage } from './find.ts';
import { treePage } from './tree.ts';

export const codePages: readonly Page[] = [allCommitsPage, blamePage, blobPage, commitsPage, findPage, treePage];
