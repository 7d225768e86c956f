import type { Page } from '#console/page.ts';
import { labelsPage } from './labels.ts';
import { overviewPage } from './overview.ts';

export const repositoriesPages: readonly Page[] = [overviewPage, labelsPage];
