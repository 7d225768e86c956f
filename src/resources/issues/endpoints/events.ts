// What happened to issues.
import { Type } from 'typebox';
import { readsEither, readsIssues } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { firstOrNotFound, orNotFound } from '#lib/refusal.ts';
import { findIssueEvent, listEventsOfRepository, listIssueEvents } from '../event-store.ts';
import { presentIssueEvents } from '../present-events.ts';
import { checkHasIssues, getIssue } from '../rules.ts';
import { IssueEvent, TimelineComment } from '../schemas.ts';
import { listTimeline } from '../timeline.ts';

export const listRepoIssueEvents = endpoint({
  id: 'issues/list-events-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/events',
  summary: 'List issue events for a repository',
  access: readsIssues,
  paging: pages(),
  replies: { 200: Type.Array(IssueEvent) },
  async handle({ db, at, page, viewer, links }) {
    checkHasIssues(at.repo);
    const found = await listEventsOfRepository(db, viewer, at.repo.id, page);
    return mapRows(found, (rows) => presentIssueEvents({ db, links, viewer }, rows, { withIssue: true }));
  },
});

export const getIssueEvent = endpoint({
  id: 'issues/get-event',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/events/{event_id}',
  summary: 'Get an issue event',
  access: readsEither,
  replies: { 200: IssueEvent },
  async handle({ db, at, viewer, links }) {
    checkHasIssues(at.repo);
    const row = orNotFound(await findIssueEvent(db, viewer, at.repo.id, at.event_id));
    return firstOrNotFound(await presentIssueEvents({ db, links, viewer }, [row], { withIssue: true }));
  },
});

export const listEventsOfIssue = endpoint({
  id: 'issues/list-events',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/events',
  summary: 'List issue events',
  access: readsEither,
  paging: pages(),
  replies: { 200: Type.Array(IssueEvent) },
  async handle({ db, at, page, viewer, links }) {
    const issue = await getIssue(db, at);
    return mapRows(await listIssueEvents(db, viewer, issue.id, page), (rows) => presentIssueEvents({ db, links, viewer }, rows));
  },
});

export const listTimelineOfIssue = endpoint({
  id: 'issues/list-events-for-timeline',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/timeline',
  summary: 'List timeline events for an issue',
  access: readsEither,
  paging: pages(),
  replies: { 200: Type.Array(Type.Union([TimelineComment, IssueEvent])) },
  async handle({ db, at, page, viewer, links }) {
    const issue = await getIssue(db, at);
    return listTimeline({ db, links, viewer }, issue.id, page);
  },
});
