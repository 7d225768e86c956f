import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';
import { everyReason } from './reasons.ts';
import { subjectTypes } from './subjects.ts';

/**
 * The repository of a thread, without fields that change without touching inboxes, such as counts and the last push. A poll is
 * answered from the inbox's time only.
 */
const {
  forks_count: _forks,
  stargazers_count: _stargazers,
  watchers_count: _watchers,
  size: _size,
  open_issues_count: _issues,
  forks: _forksToo,
  open_issues: _issuesToo,
  watchers: _watchersToo,
  language: _language,
  license: _license,
  pushed_at: _pushed,
  updated_at: _updated,
  permissions: _permissions,
  ...repositoryFields
} = MinimalRepository.properties;
export const NotificationRepository = Type.Object(repositoryFields);
export type NotificationRepository = Static<typeof NotificationRepository>;

export const NotificationThread = Type.Object({
  id: Type.String(),
  repository: NotificationRepository,
  subject: Type.Object({
    title: Type.String(),
    url: Nullable(Type.String()),
    latest_comment_url: Nullable(Type.String()),
    type: OneOf(subjectTypes),
  }),
  reason: OneOf(everyReason),
  unread: Type.Boolean(),
  updated_at: Timestamp,
  last_read_at: Nullable(Timestamp),
  url: Type.String(),
  subscription_url: Type.String(),
});
export type NotificationThread = Static<typeof NotificationThread>;

export const ThreadSubscription = Type.Object({
  subscribed: Type.Boolean(),
  ignored: Type.Boolean(),
  reason: Nullable(Type.String()),
  created_at: Nullable(Timestamp),
  url: Type.String(),
  thread_url: Type.String(),
});
export type ThreadSubscription = Static<typeof ThreadSubscription>;

export const WantedThreadSubscription = Type.Object(
  { ignored: withDefault(Type.Boolean(), false) },
  { title: 'ThreadSubscription' },
);

const time = Type.String({ format: 'date-time', maxLength: 40 });

export const InboxQuery = Type.Object(
  {
    all: withDefault(Type.Boolean(), false),
    participating: withDefault(Type.Boolean(), false),
    since: Type.Optional(time),
    before: Type.Optional(time),
  },
  { title: 'Notification' },
);
export type InboxQuery = Static<typeof InboxQuery>;

export const ReadInbox = Type.Object(
  { last_read_at: Type.Optional(time), read: withDefault(Type.Boolean(), true) },
  { title: 'Notification' },
);
export const ReadRepositoryInbox = Type.Object({ last_read_at: Type.Optional(time) }, { title: 'Notification' });

export const Accepted = Type.Object({ message: Type.String() });
export const AcceptedForRepository = Type.Object({ message: Type.String(), url: Type.String() });
