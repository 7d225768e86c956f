import { listStuckRunners } from '#resources/actions/hosted-runners/index.ts';
import { providerFor } from '../installation.ts';
import type { Config } from '../settings.ts';
import { type CheckContext, type Diagnosis, someOf } from './diagnosis.ts';

/**
 * Checks that the machines of hosted runners can be made here, and shows how jobs on them are isolated. Lists the runners whose
 * machine can't be made, with the reasons.
 */
export async function runners({ db }: Pick<CheckContext, 'db'>, config: Config): Promise<Diagnosis> {
  const { detail, warning, problem } = await providerFor(config).check();
  const stuck = await listStuckRunners(db);
  const named = stuck.map(({ organization, name, problem }) => `${organization}/${name} (${problem ?? 'no reason stored'})`);
  const details = [problem ?? warning ?? detail, ...(named.length === 0 ? [] : [`stuck: ${someOf(named, '; ')}`])];
  const ok = problem === undefined && stuck.length === 0;
  return { check: 'runners', ok, ...(warning === undefined ? {} : { warning: true }), detail: details.join('; ') };
}
