import type { Db } from '#database/connect.ts';
import { zeroOid } from '#git/objects/oid.ts';
import { timestamp } from '#lib/time.ts';
import { listExisting } from '#resources/rulesets/index.ts';
import type { RuleSuite, ShortRuleSuite } from './schemas.ts';
import type { SuiteRow } from './store.ts';

const common = (row: SuiteRow) => ({
  id: row.id,
  actor_id: row.actor_id,
  actor_name: row.actor_login,
  before_sha: row.before_sha ?? zeroOid,
  after_sha: row.after_sha ?? zeroOid,
  ref: row.ref,
  repository_id: row.repository_id,
  repository_name: row.repository_name,
  pushed_at: timestamp(row.pushed_at),
  result: row.result,
});

export const presentShortRuleSuite = (row: SuiteRow): ShortRuleSuite => ({
  ...common(row),
  ...(row.evaluation_result === null ? {} : { evaluation_result: row.evaluation_result }),
});

/** A suite with its rules. Rulesets that are no more are shown as such. */
export async function presentRuleSuite(db: Db, row: SuiteRow): Promise<RuleSuite> {
  const ofRulesets = row.evaluations.filter(({ source }) => source.type !== 'ProtectedBranch');
  const existing = new Set<number>(await listExisting(db, [...new Set(ofRulesets.map(({ source }) => source.id))]));
  return {
    ...common(row),
    evaluation_result: row.evaluation_result,
    rule_evaluations: row.evaluations.map(({ source, enforcement, result, rule_type, details }) => {
      const isProtection = source.type === 'ProtectedBranch';
      const isDeleted = !isProtection && !existing.has(source.id);
      return {
        rule_source: isProtection
          ? { type: 'protected_branch', id: null, name: source.name }
          : { type: 'ruleset', id: isDeleted ? null : source.id, name: source.name },
        enforcement: isDeleted ? ('deleted ruleset' as const) : enforcement,
        result,
        rule_type,
        details,
      };
    }),
  };
}
