import { family } from '#resources/family.ts';

export const runners = family({ name: 'runners' });
