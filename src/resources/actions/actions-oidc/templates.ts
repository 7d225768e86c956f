// The template of a repository's subjects, from its own settings and its organization's.
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { orNotFound } from '#lib/refusal.ts';
import { findTemplates } from './store.ts';
import { defaultKeys, propertyPrefix, type SubjectTemplate } from './subject.ts';

/** The effective template, and whether the repository uses the default one. */
export type TemplateInForce = SubjectTemplate & { readonly usesDefault: boolean };

/**
 * How the subjects of a repository are built. The organization's template applies to repositories with `use_default: false` and
 * no claims of their own. One statement. @throws Refusal 404 if the repository was deleted
 */
export async function subjectTemplateOf(db: Db, repository: { readonly id: Id<'repositories'> }): Promise<TemplateInForce> {
  const row = orNotFound(await findTemplates(db, repository.id));
  const usesDefault = row.use_default ?? true;
  const chosen = row.own_keys ?? row.organization_keys;
  const included = row.included.flatMap((name) => {
    const value = row.values[name];
    return value === undefined ? [] : [[`${propertyPrefix}${name}`, value] as const];
  });
  return {
    usesDefault,
    claimKeys: usesDefault ? defaultKeys : (chosen ?? defaultKeys),
    isImmutable: row.own_immutable ?? row.organization_immutable ?? false,
    properties: Object.fromEntries(included),
  };
}
