import type { Db } from '#database/connect.ts';
import { loadRulesetsOf, matchesRef, type RuledRepository } from '#resources/code/rulesets/index.ts';
import type { BranchRule } from './schemas.ts';

/**
 * The rules of active rulesets that apply to a branch, whether or not the branch exists. Rulesets that are only evaluated are
 * left out.
 */
export async function listRulesetRules(
  db: Db,
  repo: RuledRepository & { owner: { login: string } },
  ref: string,
): Promise<BranchRule[]> {
  const rows = (await loadRulesetsOf(db, repo)).filter((row) => row.enforcement === 'active' && row.target === 'branch');
  return rows.flatMap((row) => {
    if (!matchesRef(row, ref, repo)) return [];
    const isOwn = row.repository_id !== null;
    const source = {
      ruleset_source_type: isOwn ? ('Repository' as const) : ('Organization' as const),
      ruleset_source: isOwn ? `${repo.owner.login}/${repo.name}` : repo.owner.login,
      ruleset_id: row.id,
    };
    return row.rules.map((rule) => ({ ...rule, ...source }) as BranchRule);
  });
}
