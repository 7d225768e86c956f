import type { Page } from '#console/page.ts';
import { issuePage } from './issue.ts';

export const collaborationPages: readonly Page[] = [issuePage];
