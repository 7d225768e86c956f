// Lists, and the number of things that an issue or a repository has.
import type { LimitGroup } from './limit.ts';

export const lists = {
  labels: { value: 50, unit: 'count', of: 'labels that one list of issues asks for', past: '422' },
  rows: {
    value: 100_000,
    unit: 'count',
    fixed: true,
    of: 'rows of a list that its pages reach',
    past: 'further pages are empty',
  },
} as const satisfies LimitGroup;

export const issues = {
  labels: { value: 100, unit: 'count', fixed: true, of: 'labels of one issue', past: '422' },
  assignees: { value: 100, unit: 'count', fixed: true, of: 'assignees of one issue', past: '422' },
} as const satisfies LimitGroup;

export const repositories = {
  autolinks: { value: 500, unit: 'count', fixed: true, of: 'autolinks of one repository', past: '422' },
} as const satisfies LimitGroup;
