import { fixedValue, limitTable } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';

/** Refuses more labels or assignees than one issue may have: whoever lists issues gets all of them. */
export function checkNumber(what: 'labels' | 'assignees', total: number): void {
  const most = fixedValue(limitTable.issues[what]);
  if (total <= most) return;
  const error = {
    resource: 'Issue',
    field: what,
    code: 'invalid',
    message: `An issue can have at most ${most} ${what}`,
  } as const;
  throw new Refusal('invalid', 'Validation Failed', [error], { limit: `issues.${what}` });
}
