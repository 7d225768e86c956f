// One thread of an inbox, and the subscription to it.
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { findInboxChange } from '../inbox-store.ts';
import { thread } from '../path-resources.ts';
import { ownInbox } from '../policies.ts';
import { presentSubscription, presentThread } from '../present.ts';
import { changeSubscription, muteThread } from '../rules.ts';
import { NotificationThread, ThreadSubscription, WantedThreadSubscription } from '../schemas.ts';
import { markDone, markRead } from '../store.ts';
import { findThreadSubscription } from '../subscription-store.ts';

export const getThread = endpoint({
  id: 'activity/get-thread',
  method: 'GET',
  path: '/notifications/threads/{thread_id}',
  resources: [thread],
  summary: 'Get a thread',
  access: ownInbox,
  replies: { 200: NotificationThread },
  lastModified: ({ db, viewer }) => findInboxChange(db, viewer.account),
  handle: ({ scope, at }) => presentThread(scope, at.thread),
});

export const markThreadAsRead = endpoint({
  id: 'activity/mark-thread-as-read',
  method: 'PATCH',
  path: '/notifications/threads/{thread_id}',
  resources: [thread],
  summary: 'Mark a thread as read',
  access: ownInbox,
  replies: { 205: Nothing },
  async handle({ change, now }) {
    await change((scope, { thread }) => markRead(scope.tx, thread, now));
  },
});

export const markThreadAsDone = endpoint({
  id: 'activity/mark-thread-as-done',
  method: 'DELETE',
  path: '/notifications/threads/{thread_id}',
  resources: [thread],
  summary: 'Mark a thread as done',
  access: ownInbox,
  replies: { 204: Nothing },
  async handle({ change, now }) {
    await change((scope, { thread }) => markDone(scope.tx, thread, now));
  },
});

export const getThreadSubscription = endpoint({
  id: 'activity/get-thread-subscription-for-authenticated-user',
  method: 'GET',
  path: '/notifications/threads/{thread_id}/subscription',
  resources: [thread],
  summary: 'Get a thread subscription for the authenticated user',
  access: ownInbox,
  replies: { 200: ThreadSubscription },
  lastModified: ({ db, viewer }) => findInboxChange(db, viewer.account),
  async handle({ db, at, links }) {
    return presentSubscription(links, at.thread, await findThreadSubscription(db, at.thread));
  },
});

export const setThreadSubscription = endpoint({
  id: 'activity/set-thread-subscription',
  method: 'PUT',
  path: '/notifications/threads/{thread_id}/subscription',
  resources: [thread],
  summary: 'Set a thread subscription',
  access: ownInbox,
  body: WantedThreadSubscription,
  example: { ignored: true },
  replies: { 200: ThreadSubscription },
  async handle({ change, at, body, action, links }) {
    const row = await change((scope) => changeSubscription(scope, action, at.thread, body));
    return presentSubscription(links, at.thread, row);
  },
});

export const deleteThreadSubscription = endpoint({
  id: 'activity/delete-thread-subscription',
  method: 'DELETE',
  path: '/notifications/threads/{thread_id}/subscription',
  resources: [thread],
  summary: 'Delete a thread subscription',
  access: ownInbox,
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    await change((scope) => muteThread(scope, action, at.thread));
  },
});
