// Which actions and reusable workflows are allowed.
import { type Steps, stepsOfWork } from '#lib/pattern-steps.ts';
import { Refusal } from '#lib/refusal.ts';
import { mediaWord } from '#vocabulary/words.ts';
import { type ActionPattern, actionPatternOf, matchesAction, type UsedAction, usedByPattern } from './action-patterns.ts';
import type { SelectedActions } from './schemas.ts';
import type { Settings } from './settings.ts';

/** The owners of the service's own actions, in lower case. */
const serviceOwners: ReadonlySet<string> = new Set(['actions', ...mediaWord]);

/** A parsed list of selected actions. There are no verified creators here, so `verified_allowed` allows nothing. */
type ActionList = { readonly allowsServiceOwned: boolean; readonly patterns: readonly ActionPattern[] };

export const actionListOf = ({ service_owned_allowed, patterns_allowed }: SelectedActions): ActionList => ({
  allowsServiceOwned: service_owned_allowed,
  patterns: patterns_allowed.map(actionPatternOf),
});

/**
 * Whether a list allows a use. A pattern with `!` takes precedence over all others. `work`: the steps of all uses.
 * @throws Refusal 413 if it takes too many steps
 */
export function listAllows({ allowsServiceOwned, patterns }: ActionList, used: UsedAction, work: Steps): boolean {
  const matching = patterns.filter((pattern) => matchesAction(pattern, used, work));
  if (matching.some(({ isRefusal }) => isRefusal)) return false;
  return matching.length > 0 || (allowsServiceOwned && isServiceOwned(used));
}

const isServiceOwned = (used: UsedAction): boolean => 'owner' in used && serviceOwners.has(used.owner.toLowerCase());

/** The first setting of a list that exceeds an organization's own list. @throws Refusal 413 if it takes too many steps */
export function listBeyond(organization: SelectedActions, wanted: Partial<SelectedActions>): keyof SelectedActions | undefined {
  if (wanted.service_owned_allowed && !organization.service_owned_allowed) return 'service_owned_allowed';
  if (wanted.verified_allowed && !organization.verified_allowed) return 'verified_allowed';
  const list = actionListOf(organization);
  const allowing = (wanted.patterns_allowed ?? []).filter((text) => !text.startsWith('!'));
  const work = stepsOfWork();
  return allowing.every((text) => listAllows(list, usedByPattern(text), work)) ? undefined : 'patterns_allowed';
}

/** A restriction of actions, and who set it. */
export type ActionRule = {
  readonly by: 'organization' | 'repository';
  readonly allowed: Settings['allowed_actions'];
  readonly list: ActionList;
};

/**
 * Why an action isn't allowed; undefined if it is. All rules must allow it. Actions of the repository's own owner are always
 * allowed.
 * @param owner the login of the repository's owner
 * @param work the steps of all actions of a workflow; what exceeds them isn't allowed
 */
export function refusalOfAction(
  rules: readonly ActionRule[],
  { owner, isPinningRequired, work }: { owner: string; isPinningRequired: boolean; work: Steps },
  used: UsedAction,
): string | undefined {
  if (used.kind === 'local') return undefined;
  const name = nameOf(used);
  if (isPinningRequired && used.kind === 'action' && !isFullSha(used.ref))
    return `${name} must be pinned to the full SHA of a commit`;
  if ('owner' in used && used.owner.toLowerCase() === owner.toLowerCase()) return undefined;
  for (const { by, allowed, list } of rules) {
    if (allowed === 'local_only') return `${name} isn't allowed: the ${by} allows those of ${owner} alone`;
    if (allowed === 'selected' && !allowsWithin(list, used, work))
      return `${name} isn't among the actions and workflows that the ${by} allows`;
  }
  return undefined;
}

function allowsWithin(list: ActionList, used: UsedAction, work: Steps): boolean {
  try {
    return listAllows(list, used, work);
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

const isFullSha = (ref: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(ref);

function nameOf(used: Exclude<UsedAction, { kind: 'local' }>): string {
  if (used.kind === 'image') return `docker://${used.image}`;
  return `${[used.owner, used.repo, used.path].filter((part) => part !== '').join('/')}@${used.ref}`;
}
