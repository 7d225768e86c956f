import type { ChangeScope, Needs, Scope, WriteScope } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { repoOf } from '#git/store.ts';
import { chunks, gather, unique } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import { loadOpenInto, loadPulls, type PullRow, saveLackingReviews } from '#resources/collaboration/pulls/index.ts';
import { findRepository, namedRepositories } from '#resources/repositories/repositories/index.ts';
import { lacksReviews } from './merge-rules.ts';
import { loadReviewRules, type ReviewParameters } from './review-rules.ts';
import { lockEvaluation } from './store.ts';

/** So many are judged in one transaction. */
export const pullsPerBatch = 50;

/**
 * Finds out of pull requests of a repository whether they lack reviews, and stores it. Closed ones lack none. It can be repeated.
 */
export async function evaluatePulls(
  scope: ChangeScope & Needs<'refRules'>,
  repository: RepositoryId,
  issues: readonly Id<'issues'>[],
): Promise<void> {
  const { host } = scope.services.refRules;
  for (const some of chunks(issues, pullsPerBatch)) await scope.change((scope) => evaluateBatch(scope, host, repository, some));
}

async function evaluateBatch(
  { tx, git }: WriteScope,
  host: string | undefined,
  repository: RepositoryId,
  issues: readonly Id<'issues'>[],
): Promise<void> {
  await lockEvaluation(tx, repository);
  const [repo, found] = await Promise.all([findRepository(tx, repository), loadPulls(tx, issues)]);
  if (!repo) return;
  const pulls = [...found.values()].filter((pull) => pull.repository_id === repository);
  const open = pulls.filter(({ state }) => state === 'open');
  const { byBase } = await loadReviewRules(tx, repo, unique(gather(open, 'base_ref')), undefined);
  const gitRepository = repoOf(git, repository);
  const check = { db: tx, gitRepository, repo, host };
  const tips = await findTips(gitRepository, byBase);
  const evaluated: { issue: Id<'issues'>; lacksReviews: boolean }[] = [];
  for (const pull of pulls) {
    const rules = pull.state === 'open' ? byBase.get(pull.base_ref) : undefined;
    const move = { before: tips.get(pull.base_ref) ?? null, after: pull.head_sha };
    const lacking = rules !== undefined && (await lacksReviews(check, rules, pull, move));
    evaluated.push({ issue: pull.id, lacksReviews: lacking });
  }
  await saveLackingReviews(tx, evaluated);
}

/** Whether rules name files: what a pull request changes in its base, and whose that is, depends on the base. */
const nameFiles = (rules: readonly ReviewParameters[]): boolean =>
  rules.some(
    ({ require_code_owner_review, required_reviewers = [] }) => require_code_owner_review || required_reviewers.length > 0,
  );

/** The commits of branches whose rules name files. */
async function findTips(
  gitRepository: ReturnType<typeof repoOf>,
  byBase: ReadonlyMap<string, readonly ReviewParameters[]>,
): Promise<ReadonlyMap<string, Oid>> {
  const bases = [...byBase].flatMap(([base, rules]) => (nameFiles(rules) ? [base] : []));
  if (bases.length === 0) return new Map();
  await using reader = await openObjects(gitRepository);
  const found = await Promise.all(bases.map(async (base) => ({ base, tip: await reader.findInfo(branchRef(base)) })));
  return new Map(found.flatMap(({ base, tip }) => (tip ? [[base, tip.oid] as const] : [])));
}

/** The open pull requests into branches whose rules name files: a push to these may change what the rules say. */
export async function listRuledByFiles(scope: Scope, repository: RepositoryId, branches: readonly string[]): Promise<PullRow[]> {
  const open = await loadOpenInto(scope, repository, branches);
  const repo = open.length === 0 ? undefined : await scope.load(namedRepositories, repository);
  if (!repo) return [];
  const { byBase } = await loadReviewRules(scope.db, repo, unique(gather(open, 'base_ref')), undefined);
  return open.filter(({ base_ref }) => nameFiles(byBase.get(base_ref) ?? []));
}
