// The template of a repository's subjects, from what it says and what its organization says.
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { orNotFound } from '#lib/refusal.ts';
import { findTemplates } from './store.ts';
import { defaultKeys, propertyPrefix, type SubjectTemplate } from './subject.ts';

/** The template in force, and whether it is the default one by the repository's wish. */
export type TemplateInForce = SubjectTemplate & { readonly usesDefault: boolean };

/**
 * How the subjects of a repository are made. A template of the organization holds for repositories that said so, by `use_default:
 * false` without claims of their own. One statement. @throws Refusal 404 where the repository is gone
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
