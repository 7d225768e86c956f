// What a change made different in a ruleset, as webhooks tell of it.
import { isDeepStrictEqual } from 'node:util';
import { formerOf, grouped } from '#lib/collections.ts';
import { changesOf } from '#resources/event-kinds.ts';
import type { Rule } from './rule-types.ts';
import type { Conditions } from './schemas.ts';
import type { RulesetState } from './store.ts';

type Difference<Item, Updated> = { added: Item[]; deleted: Item[]; updated: Updated[] };
type UpdatedRule = { rule: Rule; changes: { configuration: { from: string } } };
type UpdatedCondition = { condition: Conditions; changes: Record<string, { from: unknown }> };

export type RulesetChanges = {
  name?: { from: string };
  enforcement?: { from: string };
  conditions?: Difference<Conditions, UpdatedCondition>;
  rules?: Difference<Rule, UpdatedRule>;
};

const isEmpty = ({ added, deleted, updated }: Difference<unknown, unknown>): boolean =>
  added.length + deleted.length + updated.length === 0;

/** What is different between two states of a ruleset; what is the same is left out. */
export function changesBetween(before: RulesetState, after: RulesetState): RulesetChanges {
  const { changes } = changesOf(formerOf(before, after, 'name', 'enforcement'));
  const conditions = conditionsBetween(before.conditions, after.conditions);
  const rules = rulesBetween(before.rules, after.rules);
  return { ...changes, ...(isEmpty(conditions) ? {} : { conditions }), ...(isEmpty(rules) ? {} : { rules }) };
}

const conditionNames = ['ref_name', 'repository_name', 'repository_id', 'repository_property'] as const;

function conditionsBetween(before: Conditions, after: Conditions): Difference<Conditions, UpdatedCondition> {
  const difference: Difference<Conditions, UpdatedCondition> = { added: [], deleted: [], updated: [] };
  for (const name of conditionNames) {
    const [was, is] = [before[name], after[name]];
    if (was === undefined && is !== undefined) difference.added.push({ [name]: is });
    else if (was !== undefined && is === undefined) difference.deleted.push({ [name]: was });
    else if (was !== undefined && is !== undefined && !isDeepStrictEqual(was, is))
      difference.updated.push({ condition: { [name]: is }, changes: changedLists(name, was, is) });
  }
  return difference;
}

/** The former lists of patterns; of other conditions, their former text. */
function changedLists(
  name: (typeof conditionNames)[number],
  was: NonNullable<Conditions[typeof name]>,
  is: NonNullable<Conditions[typeof name]>,
): Record<string, { from: unknown }> {
  if (name !== 'ref_name' && name !== 'repository_name') return { target: { from: JSON.stringify(was) } };
  const [former, present] = [was, is] as [Conditions['ref_name'], Conditions['ref_name']]; // these two have lists of patterns
  const lists = (['include', 'exclude'] as const).filter((list) => !isDeepStrictEqual(former?.[list], present?.[list]));
  return Object.fromEntries(lists.map((list) => [list, { from: former?.[list] ?? [] }]));
}

/** Rules are compared with rules of the same type, in their order. */
function rulesBetween(before: readonly Rule[], after: readonly Rule[]): Difference<Rule, UpdatedRule> {
  const difference: Difference<Rule, UpdatedRule> = { added: [], deleted: [], updated: [] };
  const former = grouped(before, ({ type }) => type);
  for (const rule of after) {
    const was = former.get(rule.type)?.shift();
    if (!was) difference.added.push(rule);
    else if (!isDeepStrictEqual(was, rule))
      difference.updated.push({ rule, changes: { configuration: { from: JSON.stringify(parametersOf(was)) } } });
  }
  difference.deleted.push(...[...former.values()].flat());
  return difference;
}

const parametersOf = (rule: Rule): unknown => ('parameters' in rule ? rule.parameters : undefined) ?? {};
