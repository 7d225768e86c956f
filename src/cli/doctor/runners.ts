import { providerFor } from '../installation.ts';
import type { Config } from '../settings.ts';
import type { Diagnosis } from './diagnosis.ts';

/** Checks that the machines of hosted runners can be made here, and shows how jobs on them are isolated. */
export async function runners(config: Config): Promise<Diagnosis> {
  const { detail, warning, problem } = await providerFor(config).check();
  return { check: 'runners', ok: problem === undefined, detail: problem ?? warning ?? detail };
}
