import type { OrganizationAction, RepositoryAction } from '#access/action.ts';
import type { Tx } from '#database/connect.ts';
import { declaredPart } from '#endpoint/declared.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization, inRepository } from '#events/scope.ts';
import { gather, getOrThrow, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { updateAccount } from '#resources/identity/accounts/index.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { lockRepository, updateRepository } from '#resources/repositories/repositories/index.ts';
import { changesBetween } from './changes.ts';
import { bypassActorsOf, checkRuleset, idsOf, offeredRules } from './check.ts';
import { rulesetLimits } from './limits.ts';
import { type Rule, schemasByType } from './rule-types.ts';
import type { BypassActor, Conditions, NewRuleset, RulesetChange } from './schemas.ts';
import {
  countRulesets,
  findKnownActors,
  insertBypassActors,
  insertRuleset,
  insertVersion,
  listOwnedIds,
  type RulesetOwner,
  type RulesetRow,
  type RulesetState,
  removeBypassActors,
  removeRuleset,
  updateRuleset,
} from './store.ts';

type RulesetAction = OrganizationAction | RepositoryAction;

const resource = 'Ruleset';
const maxRulesets = fixedValue(rulesetLimits.rulesets);

/** The owner of rulesets that a path names. */
export const ownerOf = (parent: Pick<OrganizationAction, 'org'> | Pick<RepositoryAction, 'repo'>): RulesetOwner =>
  'org' in parent ? { column: 'organization_id', id: parent.org.id } : { column: 'repository_id', id: parent.repo.id };

const scopeOf = (action: RulesetAction) => ('org' in action ? inOrganization(action) : inRepository(action));

/** Locks the owner of rulesets until the transaction ends, since names must be unique and the number of rulesets is limited. */
export const lockOwner = (tx: Tx, { column, id }: RulesetOwner) =>
  column === 'organization_id' ? lockOrganization(tx, id) : lockRepository(tx, id);

/**
 * A rule with only the parameters of its own type. For a check from any app, a request may send null as the app's id; the stored
 * rule has no id.
 */
function ownPart(given: Rule): Rule {
  const rule = declaredPart(getOrThrow(schemasByType, given.type), given) as Rule; // a part of the rule
  if (rule.type !== 'required_status_checks') return rule;
  const required_status_checks = rule.parameters.required_status_checks.map(({ context, integration_id }) =>
    integration_id ? { context, integration_id } : { context },
  );
  return { ...rule, parameters: { ...rule.parameters, required_status_checks } };
}

const rulesOf = (rules: NonNullable<NewRuleset['rules']>): Rule[] => offeredRules(rules).map(ownPart);

export async function createRuleset(scope: WriteScope, action: RulesetAction, wanted: NewRuleset): Promise<RulesetRow> {
  const { by, now } = action;
  const { name, target, enforcement, conditions = {} } = wanted;
  const owner = ownerOf(action);
  const state = {
    name,
    target,
    enforcement,
    conditions,
    rules: rulesOf(wanted.rules ?? []),
    bypass_actors: bypassActorsOf(wanted.bypass_actors ?? []),
  };
  checkRuleset(state, owner);
  await lockOwner(scope.tx, owner);
  await Promise.all([
    checkName(scope, owner, name),
    checkActors(scope, action, state.bypass_actors),
    checkIds(scope, action, conditions),
    checkSources(scope, action, state.rules),
  ]);
  await noteWorkflowRules(scope.tx, action, state.rules);
  const { bypass_actors, ...written } = state;
  const row = {
    ...written,
    organization_id: owner.column === 'organization_id' ? owner.id : null,
    repository_id: owner.column === 'repository_id' ? owner.id : null,
    created_at: now,
    updated_at: now,
  };
  const id = await insertRuleset(scope.tx, row);
  insertBypassActors(scope.tx, id, bypass_actors);
  insertVersion(scope.tx, { ruleset_id: id, actor_id: by.account.id, state, created_at: now });
  await record(scope.tx, { ...scopeOf(action), kind: 'ruleset.created', data: { ruleset: id } });
  return { ...row, id, bypass_actors };
}

/**
 * Adds a ruleset of an imported repository. It records no event, and its first version has no author. Workflows that a rule
 * requires are left out, since their repositories are those of another server.
 */
export async function importRuleset(
  scope: WriteScope,
  repository: Id<'repositories'>,
  wanted: RulesetState,
  now: Date,
): Promise<void> {
  const owner = { column: 'repository_id', id: repository } as const;
  const state = { ...wanted, rules: rulesOf(wanted.rules.filter(({ type }) => type !== 'workflows')) };
  checkRuleset(state, owner);
  await checkName(scope, owner, state.name);
  const { bypass_actors, ...written } = state;
  const row = { ...written, organization_id: null, repository_id: repository, created_at: now, updated_at: now };
  const id = await insertRuleset(scope.tx, row);
  insertBypassActors(scope.tx, id, bypass_actors);
  insertVersion(scope.tx, { ruleset_id: id, actor_id: null, state, created_at: now });
}

/** Changes the named parts of a ruleset, and stores the result as its next version. */
export async function changeRuleset(
  scope: WriteScope,
  action: RulesetAction,
  ruleset: RulesetRow,
  wanted: RulesetChange,
): Promise<RulesetRow> {
  const { by, now } = action;
  const owner = ownerOf(action);
  const former = stateOf(ruleset);
  const { name = former.name, target = former.target, enforcement = former.enforcement, conditions = former.conditions } = wanted;
  const state = {
    name,
    target,
    enforcement,
    conditions,
    rules: wanted.rules ? rulesOf(wanted.rules) : former.rules,
    bypass_actors: wanted.bypass_actors ? bypassActorsOf(wanted.bypass_actors) : former.bypass_actors,
  };
  checkRuleset(state, owner);
  await Promise.all([
    wanted.name === undefined ? undefined : checkName(scope, owner, name, ruleset),
    wanted.bypass_actors && checkActors(scope, action, state.bypass_actors),
    wanted.conditions && checkIds(scope, action, conditions),
    wanted.rules && checkSources(scope, action, state.rules, former.rules),
  ]);
  if (wanted.rules) await noteWorkflowRules(scope.tx, action, state.rules);
  const { bypass_actors, ...written } = state;
  updateRuleset(scope.tx, ruleset.id, { ...written, updated_at: now });
  if (wanted.bypass_actors) {
    removeBypassActors(scope.tx, ruleset.id);
    insertBypassActors(scope.tx, ruleset.id, bypass_actors);
  }
  insertVersion(scope.tx, { ruleset_id: ruleset.id, actor_id: by.account.id, state, created_at: now });
  const data = { ruleset: ruleset.id, changes: changesBetween(former, state) };
  await record(scope.tx, { ...scopeOf(action), kind: 'ruleset.edited', data });
  return { ...ruleset, ...state, updated_at: now };
}

/** Deletes a ruleset with its versions. */
export async function deleteRuleset(scope: WriteScope, action: RulesetAction, ruleset: RulesetRow): Promise<void> {
  await removeRuleset(scope.tx, ruleset.id);
  await record(scope.tx, { ...scopeOf(action), kind: 'ruleset.deleted', data: { was: snapshotOf(ruleset) } });
}

const stateOf = ({ name, target, enforcement, conditions, rules, bypass_actors }: RulesetRow): RulesetState => ({
  name,
  target,
  enforcement,
  conditions,
  rules,
  bypass_actors,
});

async function checkName(scope: WriteScope, owner: RulesetOwner, name: string, self?: RulesetRow): Promise<void> {
  const { total, taken } = await countRulesets(scope.tx, owner, name, self?.id);
  if (taken) throw invalid(resource, 'name', 'already_exists', 'Name must be unique');
  if (!self && total >= maxRulesets)
    throw invalid(resource, 'name', 'unprocessable', `There can be at most ${maxRulesets} rulesets here`);
}

/** @throws Refusal where an actor doesn't belong to the organization, or to the owner of the repository */
async function checkActors(scope: WriteScope, action: RulesetAction, actors: readonly BypassActor[]): Promise<void> {
  if (actors.length === 0) return;
  const parent =
    'org' in action
      ? { account: action.org.id, repository: undefined }
      : { account: action.repo.owner_id, repository: action.repo.id };
  const isOrganization = 'org' in action || action.repo.owner.kind === 'organization';
  const asked = { apps: idsOf(actors, 'Integration'), teams: idsOf(actors, 'Team'), users: idsOf(actors, 'User') };
  const isAsked = Object.values(asked).some((ids) => ids.length > 0);
  const known = isAsked ? await findKnownActors(scope.tx, parent, asked) : asked;
  for (const [at, { actor_type, actor_id }] of actors.entries()) {
    const refuse = (field: string, message: string) => invalid(resource, `bypass_actors.${at}.${field}`, 'invalid', message);
    if (!isOrganization && (actor_type === 'OrganizationAdmin' || actor_type === 'Team'))
      throw refuse('actor_type', `${actor_type} does not belong to a repository of a user`);
    const ids = actor_type === 'Integration' ? known.apps : actor_type === 'Team' ? known.teams : known.users;
    const isNamed = actor_type === 'Integration' || actor_type === 'Team' || actor_type === 'User';
    if (isNamed && actor_id !== null && !ids.includes(actor_id)) throw refuse('actor_id', missingActor[actor_type]);
  }
}

const missingActor = {
  Integration: 'The app is not installed here',
  Team: 'The organization has no such team',
  User: 'The user is no member here',
} as const;

/** @throws Refusal where a condition names a repository that isn't the organization's */
async function checkIds(scope: WriteScope, action: RulesetAction, { repository_id }: Conditions): Promise<void> {
  const { repository_ids: ids = [] } = repository_id ?? {};
  if (!('org' in action) || ids.length === 0) return;
  const owned = new Set(await listOwnedIds(scope.tx, action.org.id, ids));
  const stray = ids.findIndex((id) => !owned.has(id));
  if (stray < 0) return;
  const field = `conditions.repository_id.repository_ids.${stray}`;
  throw invalid(resource, field, 'invalid', 'The organization has no such repository');
}

const requiredBy = (rules: readonly Rule[]) =>
  rules.flatMap((rule, at) =>
    rule.type === 'workflows'
      ? rule.parameters.workflows.map((one, nth) => ({ ...one, at: `${at}.parameters.workflows.${nth}` }))
      : [],
  );

/**
 * Owners of an organization may name all of its repositories; who writes a repository's ruleset, those that they may read.
 * Repositories that the former rules name stay.
 * @throws Refusal where a rule takes a workflow from another repository
 */
async function checkSources(
  scope: WriteScope,
  action: RulesetAction,
  rules: readonly Rule[],
  former: readonly Rule[] = [],
): Promise<void> {
  const known = new Set(gather(requiredBy(former), 'repository_id'));
  const required = requiredBy(rules).filter(({ repository_id }) => !known.has(repository_id));
  if (required.length === 0) return;
  const ids = unique(gather(required, 'repository_id'));
  const owned = new Set(
    'org' in action
      ? await listOwnedIds(scope.tx, action.org.id, ids)
      : await listOwnedIds(scope.tx, action.repo.owner_id, ids, action.by),
  );
  const stray = required.find(({ repository_id }) => !owned.has(repository_id));
  if (stray) throw invalid(resource, `rules.${stray.at}.repository_id`, 'invalid', 'The owner has no such repository');
}

/** Notes that events of pull requests have to look for required workflows. */
async function noteWorkflowRules(tx: Tx, action: RulesetAction, rules: readonly Rule[]): Promise<void> {
  if (requiredBy(rules).length === 0) return;
  if ('org' in action) await updateAccount(tx, action.org.id, { has_workflow_rules: true });
  else await updateRepository(tx, action.repo.id, { has_workflow_rules: true });
}
