// Texts that people write: what is read in them, and rendered.
import type { LimitGroup } from './limit.ts';

export const texts = {
  references: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'distinct references of each kind (people, teams, issues, commits) that are read in one text',
    past: 'further ones are plain words',
  },
  nesting: {
    value: 32,
    unit: 'count',
    fixed: true,
    of: 'quotes and lists inside each other in a Markdown text (a list counts twice)',
    past: 'what is nested deeper is neither read nor rendered',
  },
} as const satisfies LimitGroup;
