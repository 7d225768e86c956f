// The threads of an inbox: all of them, or one repository's.

import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { repositoryUrl } from '#endpoint/links.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { findInboxChange } from '../inbox-store.ts';
import { notificationLimits } from '../limits.ts';
import { ownInbox, ownInboxOfRepository } from '../policies.ts';
import { presentThreads } from '../present.ts';
import { endOfSecond, readInbox, timeOf } from '../rules.ts';
import { Accepted, AcceptedForRepository, InboxQuery, NotificationThread, ReadInbox, ReadRepositoryInbox } from '../schemas.ts';
import { listThreads } from '../store.ts';

const filterOf = ({ all, participating, since, before }: InboxQuery) => ({
  all,
  participating,
  since: timeOf('since', since),
  before: timeOf('before', before),
});

const later = 'There are too many notifications to mark in one request. They are being marked in the background.';

export const listNotifications = endpoint({
  id: 'activity/list-notifications-for-authenticated-user',
  method: 'GET',
  path: '/notifications',
  summary: 'List notifications for the authenticated user',
  access: ownInbox,
  query: InboxQuery,
  paging: pages({ defaultLimit: 50, maxLimit: 50 }),
  replies: { 200: Type.Array(NotificationThread) },
  lastModified: ({ db, viewer }) => findInboxChange(db, viewer.account),
  async handle({ scope, db, query, page, viewer }) {
    const found = await listThreads(db, { ...filterOf(query), account: viewer.account.id }, page);
    return mapRows(found, (rows) => presentThreads(scope, rows));
  },
});

export const markNotificationsAsRead = endpoint({
  id: 'activity/mark-notifications-as-read',
  method: 'PUT',
  path: '/notifications',
  summary: 'Mark notifications as read',
  access: ownInbox,
  body: ReadInbox,
  example: { last_read_at: '2026-01-01T00:00:00Z', read: true },
  replies: { 202: Accepted, 205: Nothing },
  async handle({ change, body, action, services, reply }) {
    if (!body.read) return reply(205);
    const until = endOfSecond(timeOf('last_read_at', body.last_read_at));
    const most = services.resourceLimits.of(notificationLimits).markedAtOnce;
    const marked = await change((scope) => readInbox(scope, action, { until, most }));
    return marked === 'read' ? reply(205) : reply(202, { message: later });
  },
});

export const listRepoNotifications = endpoint({
  id: 'activity/list-repo-notifications-for-authenticated-user',
  method: 'GET',
  path: '/repos/{owner}/{repo}/notifications',
  summary: 'List repository notifications for the authenticated user',
  access: ownInboxOfRepository,
  query: InboxQuery,
  paging: pages(),
  replies: { 200: Type.Array(NotificationThread) },
  lastModified: ({ db, viewer }) => findInboxChange(db, viewer.account),
  async handle({ scope, db, at, query, page, viewer }) {
    const found = await listThreads(db, { ...filterOf(query), account: viewer.account.id, repository: at.repo.id }, page);
    return mapRows(found, (rows) => presentThreads(scope, rows));
  },
});

export const markRepoNotificationsAsRead = endpoint({
  id: 'activity/mark-repo-notifications-as-read',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/notifications',
  summary: 'Mark repository notifications as read',
  access: ownInboxOfRepository,
  body: ReadRepositoryInbox,
  example: { last_read_at: '2026-01-01T00:00:00Z' },
  replies: { 202: AcceptedForRepository, 205: Nothing },
  async handle({ change, at, body, action, services, links, reply }) {
    const until = endOfSecond(timeOf('last_read_at', body.last_read_at));
    const most = services.resourceLimits.of(notificationLimits).markedAtOnce;
    const marked = await change((scope) => readInbox(scope, action, { repository: at.repo.id, until, most }));
    if (marked === 'read') return reply(205);
    return reply(202, { message: later, url: `${repositoryUrl(links, at.repo)}/notifications` });
  },
});
