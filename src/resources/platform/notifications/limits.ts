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
    of: 'commits of one push whose messages notify the people that they mention, from the latest back',
    past: 'earlier commits notify nobody',
  },
});
