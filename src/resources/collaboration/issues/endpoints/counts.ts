// What pages show beside the names of lists.
import { Type } from 'typebox';
import { readsMetadata } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { countOpenPulls } from '../store.ts';

/** Larger numbers aren't counted. */
const mostCounted = 10_000;

export const countOpen = endpoint({
  id: 'issues/count-open',
  method: 'GET',
  path: '/repos/{owner}/{repo}/open-counts',
  summary: 'Count the open issues and pull requests of a repository',
  access: readsMetadata,
  replies: { 200: Type.Object({ issues: Type.Integer(), pulls: Type.Integer() }) },
  async handle({ db, at: { repo } }) {
    const pulls = repo.open_issues_count === 0 ? 0 : await countOpenPulls(db, repo.id, mostCounted + 1);
    return { issues: Math.max(0, repo.open_issues_count - pulls), pulls };
  },
});
