import { sql } from 'kysely';
import { type CheckContext, type Diagnosis, someOf } from './diagnosis.ts';

type Failed = { repository: string; configuration: string; problem: string | null };

/**
 * Lists the repositories that can't have the security configuration of their organization, with the reasons. This is a warning:
 * the owners of the organization decide what to do about it.
 */
export async function securityConfigurations({ db }: Pick<CheckContext, 'db'>): Promise<Diagnosis> {
  const { rows } = await sql<Failed>`
    select o.login || '/' || r.name as repository, c.name as configuration, a.problem
    from security_configuration_repositories a
      join security_configurations c on c.id = a.configuration_id
      join repositories r on r.id = a.repository_id join accounts o on o.id = r.owner_id
    where a.status = 'failed' order by r.id`.execute(db);
  const check = 'configurations';
  if (rows.length === 0) return { check, ok: true, detail: 'every repository has its security configuration' };
  const failed = rows.map(
    ({ repository, configuration, problem }) => `${repository}, ${configuration} (${problem ?? 'no reason stored'})`,
  );
  return { check, ok: true, warning: true, detail: `failed: ${someOf(failed, '; ')}` };
}
