// Custom patterns: what may be one, and what becomes of alerts when one is changed or deleted.

import type { ActionContext, OrganizationAction } from '#access/action.ts';
import type { Org, Repo } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { enqueue } from '#jobs/job.ts';
import type { Caller } from '#lib/caller.ts';
import { gather, keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { conflict, type FieldError, invalid, invalidFields, notFound, orNotFound, preconditionFailed } from '#lib/refusal.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { type CustomPattern, type Expressions, sizeOfPatterns } from '../detection/custom-scanner.ts';
import { providerPatterns } from '../detection/patterns.ts';
import { secretScanningLimits } from '../limits.ts';
import { resource } from './expressions.ts';
import { followPattern } from './follow-pattern.ts';
import type { CustomPatternChange, NewCustomPattern, PatternDeletion, PatternSettingsChange } from './schemas.ts';
import { customTokenType, providerTokenType, versionOfSettings } from './settings.ts';
import {
  insertPatterns,
  listAllPatterns,
  listPatternsForUpdate,
  listScannedPatterns,
  listSlugs,
  loadSettings,
  type PatternOwner,
  type PatternRow,
  putSettings,
  removeSettings,
  updatePattern,
  updatePushProtection,
  updateRemoval,
} from './store.ts';
import { tryOut } from './try-out.ts';

const maxPatterns = fixedValue(secretScanningLimits.customPatterns);

/** The organization or repository of a path that has patterns. */
type PatternParent = { readonly org: Org } | { readonly repo: Repo };
type PatternAction = PatternParent & ActionContext;

/** Whose patterns a path is about. */
export const ownerOf = (at: PatternParent): PatternOwner =>
  'repo' in at ? { repository: at.repo.id } : { organization: at.org.id };

/** Refuses a repository in which secret scanning is off, as its alerts do. */
export function demandPatterns(at: PatternParent): void {
  if ('repo' in at && !at.repo.secret_scanning) throw notFound();
}

/** Refuses new patterns that can't be patterns, before a transaction begins. @throws Refusal 422 with the field */
export async function tryNewPatterns(db: Db, action: PatternAction, wanted: readonly NewCustomPattern[]): Promise<void> {
  const patterns = wanted.map((one, index) => ({ pattern: rowOf(one), at: `patterns.${index}.` }));
  await tryOut(callerOf(action), {
    wanted: patterns,
    others: (await othersOf(db, action)).map(expressionsOf),
    field: 'patterns',
  });
}

/** Refuses a change of a pattern that makes it none, before a transaction begins. @throws Refusal 422 with the field */
export async function tryChange(db: Db, action: PatternAction, row: PatternRow, wanted: CustomPatternChange): Promise<void> {
  checkVersion(row, wanted.custom_pattern_version);
  const others = (await othersOf(db, action)).filter(({ id }) => id !== row.id);
  const pattern = changed(row, wanted);
  await tryOut(callerOf(action), { wanted: [{ pattern, at: '' }], others: others.map(expressionsOf), field: 'pattern' });
}

/** The columns of a pattern as a request wants it. */
const rowOf = ({ pattern, start_delimiter, end_delimiter, must_match, must_not_match, test_string }: NewCustomPattern) => ({
  expression: pattern,
  start_delimiter,
  end_delimiter,
  must_match,
  must_not_match,
  test_string: test_string ?? null,
});

/** Makes patterns that `tryNewPatterns` let pass: all of them, or none. */
export async function createPatterns(
  scope: WriteScope,
  action: PatternAction,
  wanted: readonly NewCustomPattern[],
): Promise<PatternRow[]> {
  const { by, now } = action;
  const owner = ownerOf(action);
  if ('repo' in action) await lockRepository(scope.tx, action.repo.id);
  else await lockOrganization(scope.tx, action.org.id);
  const existing = await listPatternsForUpdate(scope.tx, owner);
  checkNames(existing, wanted);
  if (existing.length + wanted.length > maxPatterns)
    throw invalid(resource, 'patterns', 'unprocessable', `There can be at most ${maxPatterns} custom patterns`);
  checkSize([...existing, ...wanted.map(rowOf)], 'patterns');
  const slugs = await listSlugs(
    scope.tx,
    'repo' in action ? { repository: action.repo.id, owner: action.repo.owner_id } : { owner: action.org.id },
  );
  const rows = await insertPatterns(
    scope.tx,
    wanted.map((one) => {
      const slug = slugOf(one.name, slugs);
      slugs.add(slug);
      return {
        organization_id: 'organization' in owner ? owner.organization : null,
        repository_id: 'repository' in owner ? owner.repository : null,
        name: one.name,
        slug,
        ...rowOf(one),
        state: one.state,
        created_by: by.account?.id ?? null,
        created_at: now,
        updated_at: now,
      };
    }),
  );
  for (const { id, state } of rows) if (state === 'published') await follow(scope, action, id);
  return rows;
}

function checkNames(existing: readonly PatternRow[], wanted: readonly NewCustomPattern[]): void {
  const taken = new Set(existing.map(({ name }) => name.toLowerCase()));
  const errors = wanted.flatMap(({ name }, index): FieldError[] => {
    const key = name.toLowerCase();
    if (taken.has(key)) return [{ resource, field: `patterns.${index}.name`, code: 'already_exists' }];
    taken.add(key);
    return [];
  });
  if (errors.length > 0) throw invalidFields(errors);
}

const callerOf = ({ by }: ActionContext): Caller => ({ key: `account:${by.account?.id}`, kind: 'signed_in' });

const expressionsOf = ({ expression, start_delimiter, end_delimiter, must_match, must_not_match }: Expressions): Expressions => ({
  expression,
  start_delimiter,
  end_delimiter,
  must_match,
  must_not_match,
});

/** The patterns that are looked for together with new ones. */
const othersOf = (db: Db, at: PatternParent): Promise<readonly CustomPattern[]> =>
  'repo' in at ? listScannedPatterns(db, { repository: at.repo.id, owner: at.repo.owner_id }) : listAllPatterns(db, at.org.id);

const maxSize = fixedValue(secretScanningLimits.customSize);

/** Bounds what all patterns take together: memory and time grow with it. @throws Refusal 422 */
function checkSize(patterns: readonly Expressions[], field: string): void {
  if (sizeOfPatterns(patterns) > maxSize)
    throw invalid(resource, field, 'invalid', `${field} are too large together with the patterns that exist`);
}

/** The type of a pattern's alerts: its name, with hyphens, so that it is none of a known form. */
function slugOf(name: string, taken: ReadonlySet<string>): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['custom', 'pattern'];
  const slug = words.join('-').slice(0, 100);
  for (let number = 1; ; number++) {
    const next = number === 1 ? slug : `${slug}-${number}`;
    if (!taken.has(next)) return next;
  }
}

/** Has alerts and scans follow what happened to a pattern. */
const follow = (scope: WriteScope, { by }: PatternAction, pattern: Id<'secret_patterns'>): Promise<void> =>
  enqueue(scope.tx, followPattern, { pattern, actor: by.account?.id }, { key: `secret-pattern:${pattern}` });

/** The version of a pattern in replies, which requests send back to say what they are about. */
export const versionOf = ({ version }: Pick<PatternRow, 'version'>): string => String(version);

function checkVersion(row: PatternRow, wanted: string | null | undefined): void {
  if (wanted != null && wanted !== versionOf(row)) throw preconditionFailed('The custom pattern has another version by now.');
}

/** What a pattern is after a change. */
const changed = (row: PatternRow, wanted: CustomPatternChange) => ({
  expression: wanted.pattern ?? row.expression,
  start_delimiter: wanted.start_delimiter ?? row.start_delimiter,
  end_delimiter: wanted.end_delimiter ?? row.end_delimiter,
  must_match: wanted.must_match ?? row.must_match,
  must_not_match: wanted.must_not_match ?? row.must_not_match,
  test_string: wanted.test_string === undefined ? row.test_string : wanted.test_string,
});

/**
 * Changes what a pattern finds, as `tryChange` let pass for the pattern `tried`. Alerts of secrets that it finds no more are
 * resolved in the background. @throws Refusal 412 or 422
 */
export async function changePattern(
  scope: WriteScope,
  action: PatternAction,
  { row, tried }: { row: PatternRow; tried: PatternRow },
  wanted: CustomPatternChange,
): Promise<PatternRow | undefined> {
  checkVersion(row, wanted.custom_pattern_version ?? versionOf(tried));
  const next = changed(row, wanted);
  const existing = (await listPatternsForUpdate(scope.tx, ownerOf(action))).filter(({ id }) => id !== row.id);
  // Patterns that were stored before this bound may become smaller.
  if (sizeOfPatterns([next]) > sizeOfPatterns([row])) checkSize([...existing, next], 'pattern');
  const [updated] = await updatePattern(scope.tx, row.id, { ...next, state: wanted.state ?? row.state, updated_at: action.now });
  await follow(scope, action, row.id);
  return updated;
}

/** Deletes patterns, all of them or none. Their alerts are deleted or resolved in the background. @throws Refusal 404 or 412 */
export async function deletePatterns(
  scope: WriteScope,
  action: PatternAction,
  { patterns, post_delete_action }: PatternDeletion,
): Promise<void> {
  const existing = keyed(await listPatternsForUpdate(scope.tx, ownerOf(action)), ({ id }) => id);
  for (const { pattern_id, custom_pattern_version } of patterns)
    checkVersion(orNotFound(existing.get(pattern_id)), custom_pattern_version);
  const ids = unique(gather(patterns, 'pattern_id'));
  await updateRemoval(scope.tx, ids, post_delete_action);
  for (const id of ids) await follow(scope, action, id);
}

/** The settings of an organization's push protection, with their version. */
export async function loadPatternSettings(db: Db, organization: Id<'accounts'>) {
  const [settings, patterns] = await Promise.all([loadSettings(db, organization), listAllPatterns(db, organization)]);
  return { settings, patterns, version: versionOfSettings(settings, patterns) };
}

/**
 * Changes which patterns keep people from pushing. @returns the new version. @throws Refusal 409 where a version is another one,
 * or 422
 */
export async function changePatternSettings(
  scope: WriteScope,
  { org }: OrganizationAction,
  { pattern_config_version, provider_pattern_settings, custom_pattern_settings }: PatternSettingsChange,
): Promise<string> {
  await lockOrganization(scope.tx, org.id);
  const { version, patterns } = await loadPatternSettings(scope.tx, org.id);
  if (pattern_config_version != null && pattern_config_version !== version)
    throw conflict('The pattern configurations have another version by now.');
  const known = new Map(providerPatterns.map(({ type }) => [providerTokenType(type), type]));
  const ofProviders = provider_pattern_settings.map(({ token_type, push_protection_setting }, index) => {
    const secret_type = known.get(token_type);
    if (secret_type === undefined) throw unknownType(`provider_pattern_settings.${index}.token_type`, token_type);
    return { secret_type, setting: push_protection_setting };
  });
  const byType = keyed(patterns, ({ id }) => customTokenType(id));
  const ofCustom = custom_pattern_settings.map(({ token_type, custom_pattern_version, push_protection_setting }, index) => {
    const field = `custom_pattern_settings.${index}`;
    const pattern = byType.get(token_type);
    if (!pattern) throw unknownType(`${field}.token_type`, token_type);
    if (custom_pattern_version != null && custom_pattern_version !== versionOf(pattern))
      throw conflict(`The custom pattern ${token_type} has another version by now.`);
    const isOn = push_protection_setting === 'enabled';
    if (isOn && pattern.state !== 'published')
      throw invalid(resource, `${field}.token_type`, 'invalid', `${token_type} isn't published`);
    return { id: pattern.id, isOn };
  });
  const rows = ofProviders.flatMap(({ secret_type, setting }) =>
    setting === 'not-set' ? [] : [{ organization_id: org.id, secret_type, push_protection: setting }],
  );
  const last = [...new Map(rows.map((row) => [row.secret_type, row])).values()];
  const unset = ofProviders.flatMap(({ secret_type, setting }) => (setting === 'not-set' ? [secret_type] : []));
  if (unset.length > 0) await removeSettings(scope.tx, org.id, unset);
  if (last.length > 0) await putSettings(scope.tx, last);
  for (const wanted of [true, false]) {
    const ids = ofCustom.flatMap(({ id, isOn }) => (isOn === wanted ? [id] : []));
    if (ids.length > 0) await updatePushProtection(scope.tx, ids, wanted);
  }
  return (await loadPatternSettings(scope.tx, org.id)).version;
}

const unknownType = (field: string, type: string) =>
  invalid(resource, field, 'invalid', `${type} is no token type that is known`);
