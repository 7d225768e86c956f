// The rules of an entry that say which updates there are.
import { dependencyTypes, type UpdateGroup, updateTypes, type VersionRules, versioningStrategies } from '../updates/contract.ts';
import { fieldsOf, itemsOf, numberOf, oneOf, type Part, textOf, textsOf, wrong } from './part.ts';

const pattern = { most: 500 } as const;
const defaultLimit = 5;

type Fields = ReadonlyMap<string, Part>;
type NamedGroup = { readonly group: UpdateGroup; readonly isForSecurity: boolean };

/** The rules of version updates, and the groups of the updates that mend vulnerabilities. */
export function readRules(fields: Fields): { version: VersionRules; securityGroups: UpdateGroup[] } {
  const groups = readGroups(fields.get('groups'));
  const allow = fields.get('allow');
  const cooldown = readCooldown(fields.get('cooldown'));
  return {
    securityGroups: groups.filter(({ isForSecurity }) => isForSecurity).map(({ group }) => group),
    version: {
      ignore: itemsOf(fields.get('ignore'), 1_000).flatMap(readIgnored),
      ...(allow ? { allow: itemsOf(allow, 1_000).map(readAllowed) } : {}),
      groups: groups.filter(({ isForSecurity }) => !isForSecurity).map(({ group }) => group),
      strategy: oneOf(fields.get('versioning-strategy'), versioningStrategies) ?? 'auto',
      ...(cooldown ? { cooldown } : {}),
      limit: numberOf(fields.get('open-pull-requests-limit'), [0, 100]) ?? defaultLimit,
    },
  };
}

function readIgnored(part: Part): VersionRules['ignore'] {
  const fields = fieldsOf(part, ['dependency-name', 'versions', 'update-types']);
  const name = textOf(fields.get('dependency-name'), pattern) ?? (fields.has('dependency-name') ? undefined : '*');
  const versions = fields.get('versions');
  const types = fields.get('update-types');
  if (fields.size === 0) wrong(part, 'names nothing');
  if (name === undefined) return [];
  return [
    {
      name,
      ...(versions ? { versions: textsOf(versions, 1_000, { most: 1_000 }) } : {}),
      ...(types ? { update_types: itemsOf(types, updateTypes.length).flatMap(readSemverType) } : {}),
    },
  ];
}

/** `version-update:semver-major` */
function readSemverType(part: Part): (typeof updateTypes)[number][] {
  const found = updateTypes.find((type) => part.value === `version-update:semver-${type}`);
  if (!found) wrong(part, `has to be one of ${updateTypes.map((type) => `version-update:semver-${type}`).join(', ')}`);
  return found ? [found] : [];
}

function readAllowed(part: Part): NonNullable<VersionRules['allow']>[number] {
  const fields = fieldsOf(part, ['dependency-name', 'dependency-type']);
  const name = textOf(fields.get('dependency-name'), pattern);
  const type = oneOf(fields.get('dependency-type'), dependencyTypes);
  if (fields.size === 0) wrong(part, 'names nothing');
  return { ...(name === undefined ? {} : { name }), ...(type === undefined ? {} : { type }) };
}

const groupName = {
  most: 100,
  pattern: /^[A-Za-z][\w.-]*$/,
  form: 'has to begin with a letter, and hold letters, digits, . _ and -',
};

function readGroups(part: Part | undefined): NamedGroup[] {
  const named = [...(part ? fieldsOf(part) : [])];
  if (part && named.length > 100) wrong(part, 'has more than 100 groups');
  return named.slice(0, 100).flatMap(([name, group]) => readGroup(name, group));
}

function readGroup(name: string, part: Part): NamedGroup[] {
  const fields = fieldsOf(part, ['applies-to', 'patterns', 'exclude-patterns', 'update-types', 'dependency-type']);
  const valid = textOf({ ...part, value: name }, groupName);
  const appliesTo = oneOf(fields.get('applies-to'), ['version-updates', 'security-updates']) ?? 'version-updates';
  const types = fields.get('update-types');
  const dependencyType = oneOf(fields.get('dependency-type'), ['production', 'development']);
  if (!['patterns', 'exclude-patterns', 'update-types', 'dependency-type'].some((field) => fields.has(field)))
    wrong(part, 'says nothing of what is in it');
  if (valid === undefined) return [];
  const group = {
    name: valid,
    patterns: textsOf(fields.get('patterns'), 1_000, pattern),
    exclude_patterns: textsOf(fields.get('exclude-patterns'), 1_000, pattern),
    ...(types ? { update_types: itemsOf(types, updateTypes.length).flatMap((type) => oneOf(type, updateTypes) ?? []) } : {}),
    ...(dependencyType ? { dependency_type: dependencyType } : {}),
  };
  return [{ group, isForSecurity: appliesTo === 'security-updates' }];
}

const days = [0, 90] as const;

function readCooldown(part: Part | undefined): VersionRules['cooldown'] {
  if (!part) return undefined;
  const names = ['default-days', 'semver-major-days', 'semver-minor-days', 'semver-patch-days', 'include', 'exclude'];
  const fields = fieldsOf(part, names);
  const other = numberOf(fields.get('default-days'), days) ?? 0;
  return {
    major: numberOf(fields.get('semver-major-days'), days) ?? other,
    minor: numberOf(fields.get('semver-minor-days'), days) ?? other,
    patch: numberOf(fields.get('semver-patch-days'), days) ?? other,
    include: textsOf(fields.get('include'), 150, pattern),
    exclude: textsOf(fields.get('exclude'), 150, pattern),
  };
}
