// Rules about what other systems say of commits.

import { areAncestors } from '#git/history/ancestors.ts';
import { gather } from '#lib/collections.ts';
import { listLatestNamed } from '#resources/code/checks/index.ts';
import { listLatestOfContexts } from '#resources/code/commit-statuses/index.ts';
import type { RuleOf } from '#resources/code/rulesets/index.ts';
import { checkedCommit, type RuleCheck, type RuledMove, type RuleEvaluator, type RuleEvaluators } from './evaluator.ts';

type Required = RuleOf<'required_status_checks'>['parameters']['required_status_checks'][number];
type Report = { name: string; app: number | null; state: 'success' | 'pending' | 'failure' };

const goodConclusions = new Set<string | null>(['success', 'neutral', 'skipped']);

/** What statuses and checks say of a commit, of those that are required. */
async function listReports({ db, repo }: RuleCheck, commit: string, required: readonly Required[]): Promise<Report[]> {
  const key = { repository: repo.id, commit };
  const names = required.map(({ context }) => context);
  const [statuses, runs] = await Promise.all([listLatestOfContexts(db, key, names), listLatestNamed(db, key, names)]);
  return [
    ...statuses.map(({ context, app, state }): Report => ({ name: context, app, state: state === 'error' ? 'failure' : state })),
    ...runs.map(({ name, app_id, status, conclusion }): Report => {
      if (status !== 'completed') return { name, app: app_id, state: 'pending' };
      return { name, app: app_id, state: goodConclusions.has(conclusion) ? 'success' : 'failure' };
    }),
  ];
}

/** Why a required check isn't fulfilled; undefined where all that report it say success. */
function problemOf(
  { context, integration_id }: Required,
  reports: readonly Report[],
): { message: string; isPending: boolean } | undefined {
  const own = reports.filter(({ name, app }) => name === context && (integration_id == null || app === integration_id));
  if (own.some(({ state }) => state === 'failure'))
    return { message: `Required status check "${context}" is failing.`, isPending: false };
  if (own.length === 0 || own.some(({ state }) => state === 'pending'))
    return { message: `Required status check "${context}" is expected.`, isPending: true };
  return undefined;
}

const isBehind = async ({ gitRepository, merge, queue }: RuleCheck, { before }: RuledMove): Promise<boolean> => {
  if (!merge || queue || before === null) return false;
  const [contains] = await areAncestors(gitRepository, [{ ancestor: before, descendant: merge.head_sha }]);
  return !contains;
};

/** What strict checks say of a head that lacks commits of its base. */
export const behindBase = 'The head branch is not up to date with the base branch.';

/** The checks of the head of the pull request that is merged, or of the commit that is pushed. */
const requiredStatusChecks: RuleEvaluator<'required_status_checks'> = {
  kinds: ['creation', 'update'],
  needs: 'names',
  async violation(check, { parameters }, move) {
    const { required_status_checks: required, strict_required_status_checks_policy: isStrict } = parameters;
    const commit = checkedCommit(check, move);
    if (required.length === 0 || commit === null) return undefined;
    if (move.before === null && (parameters.do_not_enforce_on_create || (await check.isEmpty()))) return undefined;
    if (isStrict && (await isBehind(check, move))) return behindBase;
    const reports = await listReports(check, commit, required);
    const problems = required.flatMap((one) => problemOf(one, reports) ?? []);
    const [first] = problems;
    if (first === undefined) return undefined;
    const all = gather(problems, 'message').join(' ');
    const message =
      problems.length === 1
        ? first.message
        : `${problems.length} of ${required.length} required status checks are not fulfilled: ${all}`;
    return problems.every(({ isPending }) => isPending) ? { message, isPending: true } : message;
  },
};

/** The rules that statuses and checks decide. */
export const statusEvaluators = { required_status_checks: requiredStatusChecks } as const satisfies Partial<RuleEvaluators>;
