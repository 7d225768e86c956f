import { Refusal } from '#lib/refusal.ts';

export const branchNotFound = (): Refusal => new Refusal('not_found', 'Branch not found');
