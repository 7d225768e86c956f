import type { IssueRow } from './store.ts';

/** The word in the addresses of pages about issues, or about pull requests. */
export const pageOf = ({ is_pull_request }: Pick<IssueRow, 'is_pull_request'>) => (is_pull_request ? 'pull' : 'issues');
