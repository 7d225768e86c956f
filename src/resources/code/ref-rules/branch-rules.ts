import type { Db } from '#database/connect.ts';
import { stepsOfWork } from '#lib/pattern-steps.ts';
import { loadRulesetsOf, matchesRef, type RuledRepository, type RuleOf } from '#resources/code/rulesets/index.ts';
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
  const work = stepsOfWork();
  return rows.flatMap((row) => {
    if (!matchesRef(row, ref, repo, work)) return [];
    const isOwn = row.repository_id !== null;
    const source = {
      ruleset_source_type: isOwn ? ('Repository' as const) : ('Organization' as const),
      ruleset_source: isOwn ? `${repo.owner.login}/${repo.name}` : repo.owner.login,
      ruleset_id: row.id,
    };
    return row.rules.map((rule) => ({ ...rule, ...source }) as BranchRule);
  });
}

export type RequiredWorkflow = RuleOf<'workflows'>['parameters']['workflows'][number];

/** The workflows that rules require of what comes into a branch, also by rulesets that are only evaluated. */
export async function listRequiredWorkflows(db: Db, repo: RuledRepository, ref: string): Promise<RequiredWorkflow[]> {
  const work = stepsOfWork();
  const rows = (await loadRulesetsOf(db, repo)).filter((row) => row.target === 'branch' && matchesRef(row, ref, repo, work));
  return rows.flatMap(({ rules }) => rules.flatMap((rule) => (rule.type === 'workflows' ? rule.parameters.workflows : [])));
}

export type AssistantReviewParameters = NonNullable<RuleOf<'assistant_code_review'>['parameters']>;

/** Which pull requests into a branch the assistant reviews by itself, by all rules together; undefined where none says so. */
export async function findAssistantReview(
  db: Db,
  repo: RuledRepository,
  ref: string,
): Promise<AssistantReviewParameters | undefined> {
  const work = stepsOfWork();
  const rows = (await loadRulesetsOf(db, repo)).filter((row) => row.enforcement === 'active' && row.target === 'branch');
  const rules = rows.flatMap((row) => (matchesRef(row, ref, repo, work) ? row.rules : []));
  const found = rules.flatMap((rule) => (rule.type === 'assistant_code_review' ? [rule.parameters ?? {}] : []));
  if (found.length === 0) return undefined;
  return {
    review_draft_pull_requests: found.some((one) => one.review_draft_pull_requests),
    review_on_push: found.some((one) => one.review_on_push),
  };
}

export type QueueParameters = NonNullable<RuleOf<'merge_queue'>['parameters']>;

/** The parameters of a rule that has none (the public API's defaults). */
export const queueDefaults: QueueParameters = {
  check_response_timeout_minutes: 60,
  grouping_strategy: 'ALLGREEN',
  max_entries_to_build: 5,
  max_entries_to_merge: 5,
  merge_method: 'MERGE',
  min_entries_to_merge: 1,
  min_entries_to_merge_wait_minutes: 5,
};

/** How the merge queue of a branch works, by the oldest rule that demands one; undefined where none does. */
export async function findMergeQueue(db: Db, repo: RuledRepository, ref: string): Promise<QueueParameters | undefined> {
  const rows = (await loadRulesetsOf(db, repo)).filter((row) => row.enforcement === 'active' && row.target === 'branch');
  const work = stepsOfWork();
  const rules = rows.flatMap((row) => (matchesRef(row, ref, repo, work) ? row.rules : []));
  const rule = rules.find((one): one is RuleOf<'merge_queue'> => one.type === 'merge_queue');
  return rule && (rule.parameters ?? queueDefaults);
}
