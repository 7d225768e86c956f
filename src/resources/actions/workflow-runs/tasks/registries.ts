// The private registries of a job: their configuration as files that a first step writes, and a last one removes.
import type { Db } from '#database/connect.ts';
import type { Secrets } from '#lib/secrets.ts';
import {
  audienceOf,
  type Configuration,
  type ConfigurationFile,
  type Credential,
  completeRegistries,
  configurationFor,
  type Exchanged,
  needExchange,
  type OidcRegistry,
  registryFolder,
  selectRegistries,
} from '#resources/actions/private-registries/index.ts';
import { ExpressionProblem } from '#workflow-files/expressions.ts';
import { namedRegistries } from '#workflow-files/private-registries.ts';
import type { AddedSteps } from '#workflow-files/runner-job.ts';
import { inheritsSecrets, type Standing } from '../planning/called-jobs.ts';
import { isDynamic } from '../runs/dynamic.ts';
import type { RunRow } from '../store.ts';

import { loadRunRegistries } from './run-registries.ts';

/** What a job gets for its registries. Runners mask all secrets in logs. */
type JobRegistries = { readonly steps: AddedSteps; readonly secrets: Readonly<Record<string, string>> };

/** A registry that a job names, and why it doesn't get it. */
export class RegistryRefused extends Error {}

/** A called file may be somebody else's, so its jobs get registries as they get secrets. */
const notInherited = 'the job that calls its workflow does not pass on all secrets (secrets: inherit)';

/** The registries that a job names in `PRIVATE_REGISTRIES`: which it gets, and why not the others. */
async function decideRegistries(
  db: Db,
  secrets: Secrets,
  { run, standing, isOnRepositoryRunner }: Pick<JobOfRegistries, 'run' | 'standing' | 'isOnRepositoryRunner'>,
  names: readonly string[],
) {
  if (!inheritsSecrets(standing)) return { granted: [], refused: names.map((name) => ({ name, reason: notInherited })) };
  const repository = { id: run.repository_id, owner_id: run.owner_id };
  return selectRegistries(db, secrets, repository, names, { isForServer: isDynamic(run) && !isOnRepositoryRunner });
}

/** The names in the workflow file of the job. A file that the server writes names those of all its jobs, called ones too. */
const namesOf = (run: RunRow, { workflow, own, definition }: Standing): string[] =>
  isDynamic(run) ? namedRegistries(workflow.file.source, {}) : namedRegistries(own.file.source, definition.source);

/** Exchanges the identity token of a job for the secrets of registries. */
type ExchangeSecrets = (registries: readonly OidcRegistry[]) => Promise<readonly Exchanged[]>;

type JobOfRegistries = {
  readonly run: RunRow;
  readonly standing: Standing;
  /** Administrators of the repository can read registries on its own runners: the owner must allow that, as for workflows. */
  readonly isOnRepositoryRunner: boolean;
  /** Called only if the job names registries of OIDC. */
  readonly exchange: ExchangeSecrets;
};

/**
 * The registries of a job; undefined if it has none. A run from a fork gets none, as with secrets.
 * @throws RegistryRefused for the first registry that the job can't have
 */
export async function registriesOf(db: Db, secrets: Secrets, job: JobOfRegistries): Promise<JobRegistries | undefined> {
  const { run, standing, exchange, isOnRepositoryRunner } = job;
  const names = namesOf(run, standing);
  const own = await loadRunRegistries(db, secrets, run);
  refuse(own.refused);
  if ((names.length === 0 && own.granted.length === 0) || run.is_from_fork) return undefined;
  const { granted, refused } = await decideRegistries(db, secrets, job, names);
  // A file of the server names all that a repository may use. Its job can go on without them.
  if (!(isDynamic(run) && isOnRepositoryRunner)) refuse(refused);
  if (own.granted.length + granted.length === 0) return undefined;
  const needed = needExchange(granted);
  const complete = completeRegistries(granted, needed.length > 0 ? await exchange(needed) : []);
  refuse(complete.refused);
  // Those of the run itself come first, so that they replace a package manager's own registry.
  return jobRegistries([...own.granted, ...complete.granted]);
}

/** @throws RegistryRefused for the first one */
function refuse([first]: readonly { readonly name: string; readonly reason: string }[]): void {
  if (first) throw new RegistryRefused(`The private registry ${first.name} can't be used: ${first.reason}`);
}

type ExplainedRegistries = { readonly passed: boolean; readonly because: string };

/**
 * Whether a job gets the registries that it names, and why not. A job that can't have one fails when a runner takes it.
 * @param findSubject the subject of the job's identity tokens. It is called only if the job names registries of OIDC.
 */
export async function explainRegistries(
  db: Db,
  secrets: Secrets,
  { run, standing, findSubject }: { readonly run: RunRow; readonly standing: Standing; findSubject: () => Promise<string> },
): Promise<ExplainedRegistries[]> {
  const names = explainedNames(run, standing);
  if (!Array.isArray(names)) return [names];
  if (run.is_from_fork)
    return names.map((name) => ({ passed: true, because: `it gets no ${name}, since its run is from a fork` }));
  if (names.length === 0) return [];
  const decide = (isOnRepositoryRunner: boolean) => decideRegistries(db, secrets, { run, standing, isOnRepositoryRunner }, names);
  const { granted, refused } = await decide(false);
  const elsewhere = isDynamic(run) ? new Map((await decide(true)).refused.map(({ name, reason }) => [name, reason])) : undefined;
  const subject = needExchange(granted).length > 0 ? await findSubject() : '';
  const reasons = new Map(refused.map(({ name, reason }) => [name, reason]));
  const found = new Map(granted.map((one) => [one.name.toUpperCase(), one]));
  return names.map((name) => {
    const reason = reasons.get(name);
    if (reason !== undefined) return { passed: false, because: `it fails, since it can't have ${name}: ${reason}` };
    const registry = found.get(name);
    const condition = registry && registry.secret === undefined ? conditionOf(registry, subject) : '';
    const unless = elsewhere?.get(name);
    const exception = unless === undefined ? '' : `, unless a runner of the repository itself takes it: ${unless}`;
    return { passed: true, because: `it gets ${name}${condition}${exception}` };
  });
}

/** The names of the registries, or why the list is refused. */
function explainedNames(run: RunRow, standing: Standing): string[] | ExplainedRegistries {
  try {
    return namesOf(run, standing);
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error;
    return { passed: false, because: `it fails: ${error.message}` };
  }
}

function conditionOf(registry: OidcRegistry, subject: string): string {
  const audience = audienceOf(registry) ?? "the page of the repository's owner";
  return `, if ${registry.auth_type} accepts its identity token: its subject is ${subject}, and its audience ${audience}`;
}

function jobRegistries(credentials: readonly Credential[]): JobRegistries {
  const names = new Map<string, string>();
  const nameOf = (text: string): string => {
    // Secrets of users can't begin with GITHUB_.
    const name = names.get(text) ?? `GITHUB_PRIVATE_REGISTRY_${names.size + 1}`;
    names.set(text, name);
    return name;
  };
  const configuration = configurationFor(credentials, (text) => `\${{ secrets.${nameOf(text)} }}`);
  // A configuration may contain a secret in another encoding. Programs may print the secret itself.
  for (const { secret } of credentials) nameOf(secret);
  return { steps: stepsFor(configuration), secrets: Object.fromEntries([...names].map(([text, name]) => [name, text])) };
}

const above = '$(dirname "$GITHUB_WORKSPACE")';

/** A quoted path of a file, as the shell of a step reads it. */
const pathOf = ({ name, found }: ConfigurationFile): string =>
  found === 'beside' ? `"${above}"/${name}` : `"${registryFolder}"/${name}`;

function stepsFor({ files, variables }: Configuration): AddedSteps {
  const write = (file: ConfigurationFile, at: number): string[] => {
    const path = pathOf(file);
    return [
      `[ ! -e ${path} ] || { echo "There already is a file ${file.name}" >&2; exit 1; }`,
      `mkdir -p "$(dirname ${path})"`,
      `printf '%s' "$REGISTRY_FILE_${at + 1}" > ${path}`,
      ...variableFor(file).map(({ name, value }) => `echo ${name}=${value} >> "$GITHUB_ENV"`),
    ];
  };
  // The shell reads values from its environment, since they contain addresses, which may contain any quotes.
  const set = Object.entries(variables).map(([name, value], at) => ({ name, value, from: `REGISTRY_VARIABLE_${at + 1}` }));
  return {
    before: {
      name: 'Set up private registries',
      shell: 'sh',
      env: Object.fromEntries([
        ...files.map(({ text }, at) => [`REGISTRY_FILE_${at + 1}`, text] as const),
        ...set.map(({ from, value }) => [from, value] as const),
      ]),
      run: [
        'set -eu',
        'umask 077',
        ...files.flatMap(write),
        ...set.map(({ name, from }) => `printf '%s\\n' "${name}=$${from}" >> "$GITHUB_ENV"`),
      ].join('\n'),
    },
    after: {
      name: 'Remove private registries',
      if: 'always()',
      shell: 'sh',
      run: `rm -rf "${registryFolder}" ${files
        .filter(({ found }) => found === 'beside')
        .map(pathOf)
        .join(' ')}`,
    },
  };
}

/** The variable that leads a package manager to a file. */
function variableFor(file: ConfigurationFile): { name: string; value: string }[] {
  const { found } = file;
  const path = pathOf(file);
  if (found === 'beside' || found === 'named') return [];
  if ('folderIn' in found) return [{ name: found.folderIn, value: `"$(dirname ${path})"` }];
  return [{ name: found.variable, value: `"${found.prefix ?? ''}"${path}` }];
}
