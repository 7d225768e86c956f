// The common part of Git's HTTP and SSH transports: who may do what in which repository, what a push does, and what error
// messages say.
import type { Logger } from 'pino';
import type { Viewer } from '#access/viewer.ts';
import { workflowFileAccess } from '#access/workflow-files.ts';
import { type Database, isUnavailable } from '#database/connect.ts';
import { databaseLimits } from '#database/limits.ts';
import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import type { Services } from '#endpoint/services.ts';
import { type GitErrorKind, isGitError, storageMessage } from '#git/errors.ts';
import type { GitStore } from '#git/repo.ts';
import { storeFor } from '#git/store.ts';
import type { PushHandlers } from '#git/transport/receive-pack.ts';
import type { Service } from '#git/transport/smart-http.ts';
import type { Caller } from '#lib/caller.ts';
import { isDiskFull } from '#lib/disk-full.ts';
import { isStorageFailure } from '#lib/folder-marker.ts';
import { Refusal } from '#lib/refusal.ts';
import { pushHandlers } from '#resources/code/pushes/index.ts';
import { type Opened, openRepository, refuseUnmodifiable } from './git-access.ts';
import { diskFullMessage, refusalOfTimeout, statusOf, unavailableMessage } from './refusals.ts';

export type GitParts = { database: Database; services: Services; log: Logger; clock: () => Date };

type GitRequest = { viewer: Viewer; caller: Caller; owner: string; name: string; service: Service };

/** A service that a viewer uses in a repository. The git processes count against the caller. */
export type Exchange = Opened & { viewer: Viewer; git: GitStore };

/** @throws like `openRepository` */
export async function openExchange(parts: GitParts, { caller, ...wanted }: GitRequest): Promise<Exchange> {
  const opened = await openRepository({ db: parts.database.db, ...wanted });
  return { ...opened, viewer: wanted.viewer, git: storeFor(parts.services.git, caller) };
}

/** The handlers for the stages of a push. A push with a deploy key is attributed to the account that added the key. */
export function handlersOf(
  { database: { db }, services, clock, log }: GitParts,
  { git, repo, viewer, modifies }: Exchange,
): PushHandlers {
  const { account, grant } = viewer;
  const who = grant.kind === 'deploy_key' ? { actor: grant.addedBy, isDeployKey: true } : { actor: account?.id };
  const scopeNow = () => scopeWithoutRequest({ db, services: { ...services, git }, now: clock(), viewer });
  const handlers = pushHandlers({ scopeNow, repo, ...who, workflowFiles: workflowFileAccess(grant, repo) });
  return {
    ...handlers,
    async before(commands) {
      const refused = modifies ? await refuseUnmodifiable(db, viewer, repo, commands) : new Map();
      const rest = commands.filter(({ ref }) => !refused.has(ref));
      const verdict = rest.length === 0 ? {} : await handlers.before?.(rest);
      return { ...verdict, refused: new Map([...refused, ...(verdict?.refused ?? [])]) };
    },
    failed: async (error: Error) => {
      const level = isGitError(error, 'aborted') ? 'info' : 'warn';
      log[level]({ err: error, repository: repo.id }, 'a push broke off');
      await handlers.failed?.(error);
    },
  };
}

const gitStatuses: Record<GitErrorKind, number> = {
  'not-found': 404,
  conflict: 409,
  timeout: 503,
  'too-large': 413,
  invalid: 400,
  aborted: 400,
  unavailable: 503,
  failed: 500,
};

/** Whether a client disconnected while its reply was being sent. */
const isClientDisconnect = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

/** The error for a Git user. `refusal`: the underlying refusal. */
export type GitFailure = { status: number; message: string; limit?: string | undefined; refusal?: Refusal };

/** The error of an exchange for the client; undefined for an unknown fault of the server. Information for operators is logged. */
export function failureOf({ services, log }: GitParts, thrown: unknown, fields: object): GitFailure | undefined {
  const error = refusalOfTimeout(thrown, services.resourceLimits.of(databaseLimits)) ?? thrown;
  if (error instanceof Refusal) return { status: statusOf(error), message: error.message, limit: error.limit, refusal: error };
  if (isDiskFull(error)) {
    log.error({ err: error, ...fields }, 'the disk is full');
    return { status: 503, message: diskFullMessage };
  }
  if (isStorageFailure(error)) {
    log.error({ err: error, ...fields }, 'the storage cannot be read');
    return { status: 503, message: storageMessage };
  }
  if (isClientDisconnect(error)) {
    log.info({ err: error, ...fields }, 'a client of Git went away');
    return { status: gitStatuses.aborted, message: 'The client went away' };
  }
  if (isGitError(error) && error.kind !== 'failed')
    return { status: gitStatuses[error.kind], message: error.message, limit: error.limit };
  if (isUnavailable(error)) {
    log.error({ err: error, ...fields }, 'a request of Git found no connection');
    return { status: 503, message: unavailableMessage };
  }
  return undefined;
}
