import type { Db } from '#database/connect.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import type { Id } from '#lib/id.ts';
import { loadRulesOfRefs } from '#resources/code/ref-rules/index.ts';
import type { ActorFacts, Bypass, RuledRepository, RuleOf } from '#resources/code/rulesets/index.ts';

/** The requirements of a rule for the reviews of a pull request. */
export type ReviewParameters = RuleOf<'pull_request'>['parameters'];

type ReviewRules = {
  /** By the names of branches. Branches without such a rule are missing. */
  readonly byBase: ReadonlyMap<string, readonly (ReviewParameters & { readonly bypass: Bypass })[]>;
  /** The facts about the actor; undefined where no rule applies. */
  readonly facts: ActorFacts | undefined;
};

/** The requirements of active rules for the reviews of pull requests into some branches, as they apply to an actor. */
export async function loadReviewRules(
  db: Db,
  repo: RuledRepository,
  bases: readonly string[],
  account: Id<'accounts'> | undefined,
): Promise<ReviewRules> {
  const found = await loadRulesOfRefs(db, { repo, actor: { account }, refs: bases.map(branchRef) });
  const byBase = new Map<string, (ReviewParameters & { bypass: Bypass })[]>();
  for (const base of bases) {
    const wanted = found?.byRef
      .get(branchRef(base))
      ?.flatMap(({ rule, enforcement, bypass }) =>
        rule.type === 'pull_request' && enforcement === 'active' ? [{ ...rule.parameters, bypass }] : [],
      );
    if (wanted && wanted.length > 0) byBase.set(base, wanted);
  }
  return { byBase, facts: found?.facts };
}
