import type { Db } from '#database/connect.ts';
import { fixedValue } from '#lib/limits.ts';
import type { JobEnvironment } from '#resources/actions/actions-configuration/index.ts';
import { variableLimits } from './limits.ts';
import { listJobVariables } from './store.ts';

const bytes = fixedValue(variableLimits.ofJob);

/**
 * The variables of a job: names with values. A variable of the environment overrides one of the repository with the same name,
 * and a variable of the repository overrides one of the organization. The values of the repository and its organization are
 * limited to 256 KB: first the repository's, then the organization's, by name (the public API's rules). The caller decides
 * whether the run may have variables at all.
 */
export async function loadVariablesForJob(
  db: Db,
  { repository, environment }: JobEnvironment,
): Promise<ReadonlyMap<string, string>> {
  const rows = await listJobVariables(db, { repository, environment, bytes });
  return new Map(rows.map(({ name, value }) => [name, value]));
}
