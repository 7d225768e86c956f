import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import { listAnalyserProblems } from '#resources/actions/default-setups/index.ts';
import { counted } from '../command.ts';
import { type CheckContext, type Diagnosis, someOf } from './diagnosis.ts';

/** Checks that the workflows of `HEARTH_ANALYSERS` exist, can be called, and are shared. */
export async function analysers({ db, hearth }: CheckContext, now: Date): Promise<Diagnosis> {
  const { count, problems } = await listAnalyserProblems(scopeWithoutRequest({ db, services: hearth.services, now }));
  const detail = [counted(count, 'analyser'), ...(problems.length > 0 ? [someOf(problems, '; ')] : [])].join('; ');
  return { check: 'analysers', ok: problems.length === 0, detail };
}
