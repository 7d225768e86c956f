import type { Db } from '#database/connect.ts';
import { zeroOid } from '#git/objects/oid.ts';
import { timestamp } from '#lib/time.ts';
import { listExisting, type RuleSource } from '#resources/code/rulesets/index.ts';
import type { RuleSuite, ShortRuleSuite } from './schemas.ts';
import type { SuiteRow } from './store.ts';

/** The ref that moved; for a change of a repository itself, which change it was. One that wasn't created has no id. */
const subjectOf = ({ ref, before_sha, after_sha, repository_id, subject_id, change }: SuiteRow) =>
  ref === null || repository_id === null
    ? { ...(subject_id === null ? {} : { repository_id: subject_id }), ...(change === null ? {} : { repository_change: change }) }
    : { before_sha: before_sha ?? zeroOid, after_sha: after_sha ?? zeroOid, ref, repository_id };

const common = (row: SuiteRow) => ({
  id: row.id,
  actor_id: row.actor_id,
  actor_name: row.actor_login,
  ...subjectOf(row),
  repository_name: row.repository_name,
  pushed_at: timestamp(row.pushed_at),
  result: row.result,
});

export const presentShortRuleSuite = (row: SuiteRow): ShortRuleSuite => ({
  ...common(row),
  ...(row.evaluation_result === null ? {} : { evaluation_result: row.evaluation_result }),
});

/** The names in replies for rule sources other than rulesets. */
const protectionWords: { readonly [Type in RuleSource['type']]?: string } = {
  ProtectedBranch: 'protected_branch',
  PushProtection: 'push_protection',
  MergeQueue: 'merge_queue',
};

/** A suite with its rules. Deleted rulesets are marked as such. */
export async function presentRuleSuite(db: Db, row: SuiteRow): Promise<RuleSuite> {
  const ofRulesets = row.evaluations.filter(({ source }) => protectionWords[source.type] === undefined);
  const existing = new Set<number>(await listExisting(db, [...new Set(ofRulesets.map(({ source }) => source.id))]));
  return {
    ...common(row),
    evaluation_result: row.evaluation_result,
    rule_evaluations: row.evaluations.map(({ source, enforcement, result, rule_type, details }) => {
      const protection = protectionWords[source.type];
      const isDeleted = protection === undefined && !existing.has(source.id);
      return {
        rule_source: protection
          ? { type: protection, id: null, name: source.name }
          : { type: 'ruleset', id: isDeleted ? null : source.id, name: source.name },
        enforcement: isDeleted ? ('deleted ruleset' as const) : enforcement,
        result,
        rule_type,
        details,
      };
    }),
  };
}
