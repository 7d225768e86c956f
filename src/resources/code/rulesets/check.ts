// What a ruleset may be: of the rules, conditions and bypass actors, those that belong together.
import { branchRef, refNameProblem } from '#git/refs/ref-name.ts';
import { unique } from '#lib/collections.ts';
import { fnmatchProblem } from '#lib/path-pattern.ts';
import { type Steps, stepsOfWork } from '#lib/pattern-steps.ts';
import { invalid, type Refusal } from '#lib/refusal.ts';
import { isWorkflowPath, workflowFolders } from '#workflow-files/file.ts';
import { rolesById } from './bypass.ts';
import { defaultBranch, everything, refPrefixes, systemProperties } from './conditions.ts';
import { expressionProblem } from './patterns.ts';
import { notOffered, pushRuleTypes, type Rule, type RuleOf, type RuleType, repositoryRuleTypes } from './rule-types.ts';
import type { BypassActor, Conditions, NewBypassActor, NewRuleset, Target } from './schemas.ts';
import type { RulesetOwner } from './store.ts';

const resource = 'Ruleset';
const wrong = (field: string, message: string): Refusal => invalid(resource, field, 'invalid', message);

/** A ruleset before it is written. */
type Wanted = {
  readonly target: Target;
  readonly conditions: Conditions;
  readonly rules: readonly Rule[];
  readonly bypass_actors: readonly BypassActor[];
};

/** The rules of a request. @throws Refusal where one is of a type that isn't offered */
export function offeredRules(rules: NonNullable<NewRuleset['rules']>): Rule[] {
  const unknown: readonly string[] = notOffered;
  return rules.map((rule, at) => {
    if (unknown.includes(rule.type))
      throw wrong(`rules.${at}.type`, `Rules of the type ${rule.type} are not offered by this server`);
    return rule as Rule; // of the other types
  });
}

const patternTypes: readonly RuleType[] = [
  'commit_message_pattern',
  'commit_author_email_pattern',
  'committer_email_pattern',
  'branch_name_pattern',
  'tag_name_pattern',
  'repository_name',
];
const branchTypes: readonly RuleType[] = [
  'pull_request',
  'required_status_checks',
  'code_scanning',
  'merge_queue',
  'assistant_code_review',
  'workflows',
  'branch_name_pattern',
];

/** Whether rules of a type are about what a target stands for. */
function belongsTo(type: RuleType, target: Target): boolean {
  const ofRepositories: readonly RuleType[] = repositoryRuleTypes;
  if (target === 'repository' || ofRepositories.includes(type)) return target === 'repository' && ofRepositories.includes(type);
  if (target === 'push' || pushRuleTypes.includes(type)) return target === 'push' && pushRuleTypes.includes(type);
  return target === 'branch' ? type !== 'tag_name_pattern' : !branchTypes.includes(type);
}

/** @throws Refusal where the parts of a ruleset don't belong together */
export function checkRuleset(wanted: Wanted, owner: RulesetOwner): void {
  const work = stepsOfWork();
  checkRules(wanted, work);
  checkRefNames(wanted, work);
  if (owner.column === 'organization_id') checkRepositories(wanted.conditions, work);
  checkModes(wanted);
}

function checkRules({ rules, target }: Wanted, work: Steps): void {
  for (const [at, rule] of rules.entries()) {
    const field = `rules.${at}`;
    if (!belongsTo(rule.type, target))
      throw wrong(`${field}.type`, `Rules of the type ${rule.type} do not belong to rulesets with the target ${target}`);
    if (!patternTypes.includes(rule.type) && rules.findIndex(({ type }) => type === rule.type) < at)
      throw wrong(`${field}.type`, `A ruleset can have only one rule of the type ${rule.type}`);
    checkParameters(rule, `${field}.parameters`, work);
  }
}

function checkParameters(rule: Rule, field: string, work: Steps): void {
  if (!('parameters' in rule) || rule.parameters === undefined) return;
  const { parameters } = rule;
  const problem = 'operator' in parameters && parameters.operator === 'regex' ? expressionProblem(parameters.pattern) : undefined;
  if (problem !== undefined) throw wrong(`${field}.pattern`, `pattern ${problem}`);
  if ('min_entries_to_merge' in parameters) checkGroupSizes(parameters, field);
  if ('workflows' in parameters) checkWorkflows(parameters.workflows, `${field}.workflows`);
  if ('restricted_file_paths' in parameters)
    checkPatterns(parameters.restricted_file_paths, `${field}.restricted_file_paths`, work);
  if ('required_reviewers' in parameters)
    for (const [at, { file_patterns }] of parameters.required_reviewers?.entries() ?? [])
      checkPatterns(file_patterns, `${field}.required_reviewers.${at}.file_patterns`, work);
}

/** A maximum of 0 stands for no maximum. */
function checkGroupSizes(
  { min_entries_to_merge: min, max_entries_to_merge: max }: NonNullable<RuleOf<'merge_queue'>['parameters']>,
  field: string,
): void {
  if (max > 0 && min > max) throw wrong(`${field}.min_entries_to_merge`, 'min_entries_to_merge exceeds max_entries_to_merge');
}

/** Only the form is checked: a file and a ref that a rule names need not be there yet. */
function checkWorkflows(workflows: RuleOf<'workflows'>['parameters']['workflows'], field: string): void {
  for (const [at, { path, ref }] of workflows.entries()) {
    if (!isWorkflowPath(path))
      throw wrong(`${field}.${at}.path`, `path must name a file of ${workflowFolders.join(' or ')}, such as ci.yml`);
    const problem = ref === undefined ? undefined : refNameProblem(ref.startsWith('refs/') ? ref : branchRef(ref));
    const isOther = ref?.startsWith('refs/') && !/^refs\/(heads|tags)\//.test(ref);
    if (problem !== undefined || isOther) throw wrong(`${field}.${at}.ref`, `ref ${problem ?? 'must name a branch or a tag'}`);
  }
}

function checkPatterns(patterns: readonly string[] | undefined, field: string, work: Steps, words: readonly string[] = []): void {
  for (const [at, pattern] of (patterns ?? []).entries()) {
    const problem = words.includes(pattern) ? undefined : fnmatchProblem(pattern, work);
    if (problem) throw wrong(`${field}.${at}`, `The pattern ${problem}`);
  }
}

function checkRefNames({ conditions: { ref_name }, target }: Wanted, work: Steps): void {
  const { include = [], exclude = [] } = ref_name ?? {};
  if (target === 'push' || target === 'repository') {
    if (include.length + exclude.length > 0)
      throw wrong(
        'conditions.ref_name',
        target === 'push'
          ? 'Rulesets with the target push apply to all refs, so ref_name has no place here'
          : 'Rulesets with the target repository are not about refs, so ref_name has no place here',
      );
    return;
  }
  const words = target === 'branch' ? [everything, defaultBranch] : [everything];
  const prefix = refPrefixes[target];
  for (const [name, patterns] of Object.entries({ include, exclude })) {
    const field = `conditions.ref_name.${name}`;
    const stray = patterns.findIndex((pattern) => !words.includes(pattern) && !pattern.startsWith(prefix));
    if (stray >= 0)
      throw wrong(`${field}.${stray}`, `Invalid target pattern: it must begin with ${prefix}, or be ${words.join(' or ')}`);
    checkPatterns(patterns, field, work, words);
  }
}

const repositoryConditions = ['repository_name', 'repository_id', 'repository_property'] as const;

function checkRepositories(conditions: Conditions, work: Steps): void {
  const given = repositoryConditions.filter((name) => conditions[name] !== undefined);
  if (given.length !== 1) throw wrong('conditions', `conditions must have exactly one of ${repositoryConditions.join(', ')}`);
  const { repository_name, repository_property } = conditions;
  for (const name of ['include', 'exclude'] as const) {
    checkPatterns(repository_name?.[name], `conditions.repository_name.${name}`, work, [everything]);
    for (const [at, property] of repository_property?.[name]?.entries() ?? [])
      if (property.source === 'system' && !Object.hasOwn(systemProperties, property.name))
        throw wrong(
          `conditions.repository_property.${name}.${at}.name`,
          `The system properties are ${Object.keys(systemProperties).join(', ')}`,
        );
  }
}

function checkModes({ target, bypass_actors }: Wanted): void {
  for (const [at, { actor_type, bypass_mode }] of bypass_actors.entries()) {
    if (target === 'repository' && actor_type === 'DeployKey')
      throw wrong(`bypass_actors.${at}.actor_type`, 'Deploy keys only push, so they cannot bypass rules about repositories');
    if (bypass_mode !== 'pull_request') continue;
    const field = `bypass_actors.${at}.bypass_mode`;
    if (target !== 'branch') throw wrong(field, 'The mode pull_request belongs to rulesets with the target branch alone');
    if (actor_type === 'DeployKey') throw wrong(field, 'Deploy keys cannot bypass by pull requests');
  }
}

/**
 * The bypass actors of a request, each with the id that its type demands. @throws Refusal where one has none, or is named twice
 */
export function bypassActorsOf(actors: readonly NewBypassActor[]): BypassActor[] {
  const made = actors.map(({ actor_type, actor_id = null, bypass_mode }, at): BypassActor => {
    const field = `bypass_actors.${at}.actor_id`;
    if (actor_type === 'OrganizationAdmin') return { actor_id: 1, actor_type, bypass_mode };
    if (actor_type === 'DeployKey') {
      if (actor_id !== null) throw wrong(field, 'Deploy keys are meant all together, so actor_id must be null');
      return { actor_id, actor_type, bypass_mode };
    }
    if (actor_id === null) throw invalid(resource, field, 'missing_field');
    if (actor_type === 'RepositoryRole' && !rolesById.has(actor_id))
      throw wrong(field, 'There is no repository role with this id');
    return { actor_id, actor_type, bypass_mode };
  });
  const keys = made.map(({ actor_type, actor_id }) => `${actor_type} ${actor_id}`);
  const twice = keys.findIndex((key, at) => keys.indexOf(key) < at);
  if (twice >= 0) throw invalid(resource, `bypass_actors.${twice}`, 'already_exists', 'A bypass actor can be named only once');
  return made;
}

/** The ids of the actors of a type. */
export const idsOf = (actors: readonly BypassActor[], type: BypassActor['actor_type']): number[] =>
  unique(actors.map(({ actor_type, actor_id }) => (actor_type === type ? actor_id : null)));
