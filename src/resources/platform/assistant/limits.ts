import { limitGroup } from '#lib/limits.ts';

export const spaceLimits = limitGroup('assistant', 'Assistant', {
  spaces: { value: 10_000, unit: 'count', fixed: true, of: 'spaces of one organization', past: '422' },
  collaborators: { value: 100, unit: 'count', fixed: true, of: 'collaborators of one space', past: '422' },
});
