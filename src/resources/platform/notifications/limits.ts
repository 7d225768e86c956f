import { limitGroup } from '#lib/limits.ts';

export const notificationLimits = limitGroup('notifications', 'Notifications', {
  markedAtOnce: {
    value: 1_000,
    unit: 'count',
    of: 'notifications that one request marks as read',
    past: '202, and they are marked in the background',
  },
  pushedCommits: {
    value: 100,
    unit: 'count',
    of: 'commits of one push that are told to those whom their messages mention, from the latest back',
    past: 'nobody is told of earlier ones',
  },
});
