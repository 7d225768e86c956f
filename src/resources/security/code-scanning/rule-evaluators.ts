// The rule that requires results of tools before a branch gets a commit.
import { branchRef } from '#git/refs/ref-name.ts';
import { checkedCommit, type RuleEvaluator, type RuleEvaluators } from '#resources/code/ref-rules/index.ts';
import type { RuleOf } from '#resources/code/rulesets/index.ts';
import { pullRefs } from './checks.ts';
import { countNewAlerts, type NewAlertCount } from './rule-store.ts';
import { isUploadPending } from './upload-store.ts';

type RequiredTool = RuleOf<'code_scanning'>['parameters']['code_scanning_tools'][number];

/** The severities that reach a threshold, for alerts whose rules have no security severity. */
const severitiesFrom: Readonly<Record<RequiredTool['alerts_threshold'], readonly string[]>> = {
  none: [],
  errors: ['error'],
  errors_and_warnings: ['error', 'warning'],
  all: ['error', 'warning', 'note', 'none'],
};

const levelsFrom: Readonly<Record<RequiredTool['security_alerts_threshold'], readonly string[]>> = {
  none: [],
  critical: ['critical'],
  high_or_higher: ['critical', 'high'],
  medium_or_higher: ['critical', 'high', 'medium'],
  all: ['critical', 'high', 'medium', 'low'],
};

/** The problem with a tool's results; undefined if it has results, and no new alert reaches a threshold. */
export function problemOf(
  { tool, alerts_threshold, security_alerts_threshold }: RequiredTool,
  counts: readonly NewAlertCount[],
): string | undefined {
  const own = counts.filter((one) => one.tool === tool);
  if (own.length === 0) return `Code scanning results of ${tool} are expected.`;
  const describe = (name: string, isMeant: (one: NewAlertCount) => boolean): string[] => {
    const count = own.filter(isMeant).reduce((sum, one) => sum + one.count, 0);
    return count === 0 ? [] : [`${count} ${name}`];
  };
  const found = [
    ...levelsFrom[security_alerts_threshold].map((level) => describe(level, (one) => one.level === level)),
    ...severitiesFrom[alerts_threshold].map((severity) =>
      describe(severity, (one) => one.level === null && one.severity === severity),
    ),
  ].flat();
  return found.length === 0 ? undefined : `${tool} has found new alerts: ${found.join(', ')}.`;
}

/**
 * Each tool must have results for the head of the merged pull request, for its test merge, or for the pushed commit, without
 * alerts that the branch doesn't have. A new branch is compared with the default branch.
 */
const codeScanning: RuleEvaluator<'code_scanning'> = {
  kinds: ['creation', 'update'],
  needs: 'names',
  async violation(check, { parameters }, move) {
    const { db, repo, merge, queue, isEmpty } = check;
    const required = parameters.code_scanning_tools;
    const commit = checkedCommit(check, move);
    if (required.length === 0 || commit === null) return undefined;
    if (move.before === null && (await isEmpty())) return undefined;
    const refs = merge && queue !== 'merging' ? pullRefs(merge.number) : [];
    const base = move.before === null ? branchRef(repo.default_branch) : move.ref;
    const [counts, isPending] = await Promise.all([
      countNewAlerts(
        db,
        { repository: repo.id, commit, mergeRef: refs[0], base },
        required.map(({ tool }) => tool),
      ),
      isUploadPending(db, { repository: repo.id, commit, refs }),
    ]);
    const problems = required.flatMap((one) => problemOf(one, counts) ?? []);
    if (isPending) problems.push('Code scanning results are still being processed.');
    if (problems.length === 0) return undefined;
    const message = problems.join(' ');
    return isPending || required.some(({ tool }) => counts.every((one) => one.tool !== tool))
      ? { message, isPending: true }
      : message;
  },
};

/** The rule types that depend on code scanning. */
export const scanEvaluators = { code_scanning: codeScanning } as const satisfies Partial<RuleEvaluators>;
