import { fixedValue } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import { issueLimits } from './limits.ts';

/** Refuses more labels or assignees than an issue may have, since lists of issues include all of them. */
export function checkNumber(field: 'labels' | 'assignees', total: number): void {
  const max = fixedValue(issueLimits[field]);
  if (total <= max) return;
  const error = {
    resource: 'Issue',
    field,
    code: 'invalid',
    message: `An issue can have at most ${max} ${field}`,
  } as const;
  throw new Refusal('invalid', 'Validation Failed', [error], { limit: `issues.${field}` });
}
