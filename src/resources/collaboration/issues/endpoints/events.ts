import { Type } from 'typebox';
import { readsIssues, readsIssuesOrPulls } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { issue, issueEvent } from '../path-resources.ts';
import { checkHasIssues } from '../rules.ts';
import { IssueEvent } from '../schemas.ts';
import { presentIssueEvents } from '../timeline/present.ts';
import { listEventsOfRepository, listIssueEvents } from '../timeline/store.ts';

export const listRepoIssueEvents = endpoint({
  id: 'issues/list-events-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/events',
  summary: 'List issue events for a repository',
  access: readsIssues,
  refuses: [422],
  paging: pages(),
  replies: { 200: Type.Array(IssueEvent) },
  async handle({ scope, db, at, page, viewer }) {
    checkHasIssues(at.repo);
    const found = await listEventsOfRepository(db, viewer, at.repo, page);
    return mapRows(found, (rows) => presentIssueEvents(scope, rows, { withIssue: true }));
  },
});

export const getIssueEvent = endpoint({
  id: 'issues/get-event',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/events/{event_id}',
  resources: [issueEvent],
  summary: 'Get an issue event',
  access: readsIssuesOrPulls,
  replies: { 200: IssueEvent },
  async handle({ scope, at }) {
    return firstOrNotFound(await presentIssueEvents(scope, [at.issueEvent], { withIssue: true }));
  },
});

export const listEventsOfIssue = endpoint({
  id: 'issues/list-events',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/events',
  resources: [issue],
  summary: 'List issue events',
  access: readsIssuesOrPulls,
  paging: pages(),
  replies: { 200: Type.Array(IssueEvent) },
  async handle({ scope, db, at, page, viewer }) {
    const found = await listIssueEvents(db, viewer, at.issue.id, page);
    return mapRows(found, (rows) => presentIssueEvents(scope, rows));
  },
});
