import { family } from '#resources/family.ts';

export const tokens = family({
  name: 'tokens',
});
