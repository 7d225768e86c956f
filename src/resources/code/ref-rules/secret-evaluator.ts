import type { AppliedRule, RuledRepository } from '#resources/code/rulesets/index.ts';
import { type BlockedSecret, findBlocked, insertBlockedSecrets } from '#resources/code/secret-scanning/index.ts';
import { findPushProtectionLink } from '#resources/identity/organizations/index.ts';
import type { RuleCheck, RuledMove, RuleEvaluator, RuleEvaluators } from './evaluator.ts';

/**
 * The rule that no secrets come into a repository, where it wants that. Nobody is exempt; who knows better has a bypass for each
 * secret.
 */
export const pushProtectionOf = ({ id, secret_scanning, secret_scanning_push_protection }: RuledRepository): AppliedRule[] =>
  secret_scanning && secret_scanning_push_protection
    ? [
        {
          rule: { type: 'secret_scanning_push_protection' },
          source: { type: 'PushProtection', id, name: 'push protection' },
          enforcement: 'active',
          bypass: 'never',
        },
      ]
    : [];

const howToBypass =
  'Remove them from the commits. What is no secret, or may be pushed nevertheless, is named by its placeholder in ' +
  'POST /repos/{owner}/{repo}/secret-scanning/push-protection-bypasses.';

const pushProtection: RuleEvaluator<'secret_scanning_push_protection'> = {
  kinds: ['creation', 'update'],
  needs: 'objects',
  isSilent: true,
  async violation(check, _rule, move) {
    const blocked = await blockedBy(check, move);
    if (blocked.length === 0) return undefined;
    const [placeholders, link] = await Promise.all([
      placeholdersOf(check, blocked),
      findPushProtectionLink(check.db, check.repo.owner_id),
    ]);
    const lines = blocked.map((one) => lineOf(one, placeholders.get(one.digest.toString('base64'))));
    const more = link === undefined ? [] : [`  What the organization says about this: ${link}`];
    return ['Secrets were found in what is pushed:', ...lines, `  ${howToBypass}`, ...more].join('\n');
  },
};

function blockedBy(check: RuleCheck, move: RuledMove): Promise<BlockedSecret[]> {
  const { db, secrets, reader, now, repo, actor } = check;
  const push = { db, secrets, reader, now, repository: repo.id, owner: repo.owner_id, account: actor.account };
  return findBlocked(push, check.newFiles(move));
}

/** A deploy key has no account that could bypass anything. */
async function placeholdersOf(
  { db, now, repo, actor, isTrial }: RuleCheck,
  blocked: readonly BlockedSecret[],
): Promise<ReadonlyMap<string, string>> {
  if (actor.account === undefined || isTrial) return new Map();
  return insertBlockedSecrets(db, { repository: repo.id, account: actor.account, now }, blocked);
}

function lineOf({ name, commit, path, start_line }: BlockedSecret, placeholder: string | undefined): string {
  const location = `${name} in commit ${commit.slice(0, 7)}, ${path}:${start_line}`;
  return placeholder === undefined ? `  ${location}` : `  ${location} (placeholder ${placeholder})`;
}

/** The rule that secrets decide. */
export const secretEvaluators = {
  secret_scanning_push_protection: pushProtection,
} as const satisfies Partial<RuleEvaluators>;
