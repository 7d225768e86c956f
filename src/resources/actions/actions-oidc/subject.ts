// The subject of a job's identity token: the claims of a template, in order. Relying parties compare it as text.

/** Claims that a template may name, besides `repo`, `context` and custom properties. Identity tokens include all of them. */
export const claimNames = [
  'repository',
  'repository_id',
  'repository_owner',
  'repository_owner_id',
  'repository_visibility',
  'actor',
  'actor_id',
  'ref',
  'ref_type',
  'ref_protected',
  'head_ref',
  'base_ref',
  'sha',
  'event_name',
  'environment',
  'workflow',
  'workflow_ref',
  'workflow_sha',
  'job_workflow_ref',
  'job_workflow_sha',
  'run_id',
  'run_number',
  'run_attempt',
  'runner_environment',
] as const;

/** The prefix of claims that contain custom properties. */
export const propertyPrefix = 'repo_property_';

const known: ReadonlySet<string> = new Set(['repo', 'context', ...claimNames]);

/** Whether a template may name a claim. */
export const isClaimKey = (name: string): boolean =>
  known.has(name) || (name.startsWith(propertyPrefix) && name.length > propertyPrefix.length);

/** The public API's template. */
export const defaultKeys = ['repo', 'context'] as const;

/** How the subjects of a repository are built. */
export type SubjectTemplate = {
  readonly claimKeys: readonly string[];
  /** Whether `repo` includes the ids of owner and repository, since others may take over the names later. */
  readonly isImmutable: boolean;
  /** The custom properties that tokens include, by the names of their claims (`repo_property_…`). */
  readonly properties: Readonly<Record<string, string | readonly string[]>>;
};

type Named = { readonly id: number; readonly name: string; readonly owner: { readonly id: number; readonly login: string } };

/** The claim `repo` with its name, for example `repo:acme/engine` or `repo:acme@1/engine@2`. */
export const repositoryPrefix = ({ id, name, owner }: Named, isImmutable: boolean): string =>
  isImmutable ? `repo:${owner.login}@${owner.id}/${name}@${id}` : `repo:${owner.login}/${name}`;

/** The claims of a job's token, by name. */
export type JobClaims = {
  readonly repository: Named;
  /** What started the run, for example `pull_request`. */
  readonly eventName: string;
  /** For example `refs/heads/main`; undefined for a commit without a ref. */
  readonly ref: string | undefined;
  readonly environment?: string | undefined;
  /** All other claims of the token that templates may name. */
  readonly others: Readonly<Record<string, string>>;
};

/**
 * The subject of a job: `repo:acme/engine:ref:refs/heads/main` with the default template. A claim that the token doesn't have is
 * empty. Colons in values are escaped (`%3A`), so that a value can't imitate several claims.
 */
export function subjectOf({ claimKeys, isImmutable, properties }: SubjectTemplate, job: JobClaims): string {
  const part = (key: string): string => {
    if (key === 'repo') return repositoryPrefix(job.repository, isImmutable);
    if (key === 'context') return contextOf(job);
    const property = properties[key];
    const value = property === undefined ? (job.others[key] ?? '') : [property].flat().join(',');
    return `${key}:${escaped(value)}`;
  };
  return claimKeys.map(part).join(':');
}

/** What a job runs for: an environment, a pull request, or a ref. */
function contextOf({ environment, eventName, ref }: JobClaims): string {
  if (environment !== undefined) return `environment:${escaped(environment)}`;
  return eventName === 'pull_request' ? 'pull_request' : `ref:${escaped(ref ?? '')}`;
}

const escaped = (value: string): string => value.replaceAll(':', '%3A');
