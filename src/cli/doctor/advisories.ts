import { readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import { counted } from '../command.ts';
import { type CheckContext, type Diagnosis, reasonOf, someOf } from './diagnosis.ts';

type Facts = { repositories: number; files: number; broken: number; problems: string[] };

const shownFiles = 5;

/** Checks that alerts about vulnerable dependencies have advisories to come from, and lists the files that can't be read. */
export async function advisories({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const folder = hearth.services.advisories;
  const { repositories, files, broken, problems } = await loadFacts(db);
  const users =
    repositories === 0 ? 'no repository has vulnerability alerts' : `${alertedText(repositories)} vulnerability alerts`;
  if (folder === undefined) {
    const detail = `${users}, and only advisories of this server's own repositories raise them: set HEARTH_ADVISORIES`;
    return { check: 'advisories', ok: true, ...(repositories === 0 ? {} : { warning: true }), detail };
  }
  const problem = await problemOf(folder);
  const unread =
    broken === 0 ? [] : [`${counted(broken, 'file')} left out: ${someOf(problems, '; ')}${more(broken - problems.length)}`];
  const detail = [`${counted(files, 'file')} in ${folder}`, users, ...(problem === undefined ? [] : [problem]), ...unread].join(
    '; ',
  );
  return { check: 'advisories', ok: problem === undefined, ...(broken === 0 ? {} : { warning: true }), detail };
}

const alertedText = (count: number): string => `${counted(count, 'repository', 'repositories')} ${count === 1 ? 'has' : 'have'}`;
const more = (count: number): string => (count > 0 ? ` and ${count} more` : '');

async function loadFacts(db: CheckContext['db']): Promise<Facts> {
  const { rows } = await sql<Facts>`
    select (select count(*) from repositories where vulnerability_alerts) as repositories,
      (select count(*) from advisory_files) as files,
      (select count(*) from advisory_files where problem is not null) as broken,
      array(select path || ' (' || problem || ')' from advisory_files where problem is not null
        order by path limit ${shownFiles}) as problems`.execute(db);
  return rows[0] ?? { repositories: 0, files: 0, broken: 0, problems: [] };
}

/** Why the folder gives no advisories. An empty one probably isn't mounted. */
async function problemOf(folder: string): Promise<string | undefined> {
  try {
    return (await readdir(folder)).length === 0 ? 'the folder is empty: is it mounted?' : undefined;
  } catch (error) {
    return `the folder can't be read (${reasonOf(error)})`;
  }
}
