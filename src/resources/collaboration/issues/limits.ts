import { limitGroup, moreLimits, seconds } from '#lib/limits.ts';

export const issueLimits = limitGroup('issues', 'Issues', {
  labels: { value: 100, unit: 'count', fixed: true, of: 'labels of one issue', past: '422' },
  assignees: { value: 100, unit: 'count', fixed: true, of: 'assignees of one issue', past: '422' },
  mentions: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'people and teams that one text mentions',
    past: 'further ones are not notified',
  },
  references: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'issues, and commits, that one text refers to',
    past: 'further ones have no event, and are not closed',
  },
  pushedCommits: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'commits of one push whose messages are read for references, from the latest back',
    past: 'earlier ones are not read',
  },
  pushedReferences: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'references in the messages of one push',
    past: 'references by further commits have no event',
  },
});

export const issueListLimits = moreLimits('lists', {
  labels: { value: 50, unit: 'count', of: 'labels that one list of issues asks for', past: '422' },
  fields: { value: 10, unit: 'count', of: 'fields whose values one list of issues asks for', past: '422' },
});

export const issueTextLimits = moreLimits('texts', {
  pageTime: {
    value: 5 * seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time in which the texts of one reply are rendered',
    past: 'further texts are shown as they were written',
  },
  repositories: {
    value: 10,
    unit: 'count',
    fixed: true,
    of: 'repositories whose commits are looked up for the texts of one reply',
    past: 'commits of further ones are plain words',
  },
});
