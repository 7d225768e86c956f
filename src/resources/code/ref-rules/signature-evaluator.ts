import { verifyCommits } from '#resources/code/commit-verification/index.ts';
import type { MergedPull, RuledMove, RuleEvaluator, RuleEvaluators } from './evaluator.ts';

/** Commits that are verified at once. */
const batchSize = 500;

/**
 * What is to be signed: the commits that a ref gets. Merging and squashing make a commit by the server itself, in the name of who
 * asked for it, so that there the commits of the pull request are meant; rebasing makes each of them anew, which nobody signs.
 */
const signedMove = (move: RuledMove, merge: MergedPull | undefined): RuledMove =>
  merge && merge.method !== 'rebase' ? { ...move, after: merge.head_sha } : move;

const requiredSignatures: RuleEvaluator<'required_signatures'> = {
  kinds: ['creation', 'update'],
  needs: 'objects',
  async violation(check, _rule, move) {
    const { db, gitRepository, repo, merge, host, now } = check;
    const commits = await check.newCommits(signedMove(move, merge));
    for (let at = 0; at < commits.length; at += batchSize) {
      const some = commits.slice(at, at + batchSize);
      const verified = await verifyCommits({ db, git: gitRepository.store, host, now }, repo.id, some);
      const unsigned = some.find(({ oid }) => !verified.get(oid)?.verified);
      if (unsigned) {
        const reason = verified.get(unsigned.oid)?.reason ?? 'unsigned';
        return `Commits must have verified signatures: ${unsigned.oid.slice(0, 7)} (${reason})`;
      }
    }
    return undefined;
  },
};

/** The rule that signatures decide. */
export const signatureEvaluators = { required_signatures: requiredSignatures } as const satisfies Partial<RuleEvaluators>;
