// Spaces of the assistant.
import type { LimitGroup } from './limit.ts';

export const assistant = {
  spaces: { value: 10_000, unit: 'count', fixed: true, of: 'spaces of one organization', past: '422' },
  collaborators: { value: 100, unit: 'count', fixed: true, of: 'collaborators of one space', past: '422' },
} as const satisfies LimitGroup;
