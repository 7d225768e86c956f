// The common part of Git's HTTP and SSH transports: access to repositories, the handling of pushes, and error messages.
import type { Logger } from 'pino';
import type { Viewer } from '#access/viewer.ts';
import { workflowFileAccess } from '#access/workflow-files.ts';
import { type Database, isUnavailable } from '#database/connect.ts';
import { databaseLimits } from '#database/limits.ts';
import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import type { Services } from '#endpoint/services.ts';
import { GitError, type GitErrorKind, isGitError, storageMessage } from '#git/errors.ts';
import { gitLimits } from '#git/limits.ts';
import type { Recheck } from '#git/process/run.ts';
import type { GitStore } from '#git/repo.ts';
import { storeFor } from '#git/store.ts';
import type { PushHandlers } from '#git/transport/receive-pack.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import type { Service } from '#git/transport/smart-http.ts';
import type { Caller } from '#lib/caller.ts';
import { isDiskFull } from '#lib/disk-full.ts';
import { isStorageFailure } from '#lib/folder-marker.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import { forbidden, notFound, Refusal } from '#lib/refusal.ts';
import { pushHandlers } from '#resources/code/pushes/index.ts';
import { type Opened, openRepository, refuseUnmodifiable } from './git-access.ts';
import { diskFullMessage, refusalOfTimeout, statusOf, unavailableMessage } from './refusals.ts';
import { Moved } from './resolve.ts';

export type GitParts = { database: Database; services: Services; log: Logger; clock: () => Date };

type GitRequest = {
  viewer: Viewer;
  /** The viewer of the same credential at a later time. @throws Refusal if the credential is no longer accepted */
  signInAgain: () => Promise<Viewer>;
  caller: Caller;
  owner: string;
  name: string;
  service: Service;
};

/** A service that a viewer uses in a repository. The git processes count against the caller. */
export type Exchange = Opened & {
  viewer: Viewer;
  git: GitStore;
  openedAt: Date;
  /** Decides about access again, in the same repository, even if it was renamed. @throws Refusal */
  openAgain(): Promise<Opened & { viewer: Viewer }>;
};

/** @throws like `openRepository` */
export async function openExchange(parts: GitParts, { caller, signInAgain, viewer, ...wanted }: GitRequest): Promise<Exchange> {
  const { db } = parts.database;
  const openedAt = parts.clock();
  const opened = await openRepository({ db, viewer, ...wanted });
  return {
    ...opened,
    viewer,
    git: storeFor(parts.services.git, caller),
    openedAt,
    async openAgain() {
      const now = { db, viewer: await signInAgain(), service: wanted.service };
      const { owner, name } = opened.repo;
      const again = await openRepository({ ...now, owner: owner.login, name }).catch((error: unknown) => {
        if (!(error instanceof Moved)) throw error;
        return openRepository({ ...now, owner: error.repo.owner.login, name: error.repo.name });
      });
      if (again.repo.id !== opened.repo.id) throw notFound();
      return { ...again, viewer: now.viewer };
    },
  };
}

/**
 * Repeats the access decision while an exchange runs, since it may last an hour. While the database is unavailable, the exchange
 * continues.
 */
export function recheckOf(
  { services, log }: GitParts,
  { repo }: Pick<Exchange, 'repo'>,
  decide: () => Promise<unknown>,
): Recheck {
  return {
    every: services.resourceLimits.of(gitLimits).accessTime,
    async check() {
      try {
        await decide();
      } catch (error) {
        if (error instanceof Refusal) throw new GitError('aborted', error.message);
        log.warn({ err: error, repository: repo.id }, 'the access of a running exchange could not be decided');
      }
    },
  };
}

const changedMeanwhile = () => forbidden('What you may do here has changed meanwhile. Push again');

/** The handlers for the stages of a push. A push with a deploy key is attributed to the account that added the key. */
export function handlersOf(parts: GitParts, exchange: Exchange): PushHandlers & { recheck: Recheck } {
  const { database, services, clock, log } = parts;
  const { db } = database;
  const { git, repo, viewer, modifies, openedAt, openAgain } = exchange;
  const { account, grant } = viewer;
  const who = grant.kind === 'deploy_key' ? { actor: grant.addedBy, isDeployKey: true } : { actor: account?.id };
  const scopeNow = () => scopeWithoutRequest({ db, services: { ...services, git }, now: clock(), viewer });
  const workflowFiles = workflowFileAccess(grant, repo);
  const { haveRulesChanged, ...handlers } = pushHandlers({ scopeNow, repo, ...who, workflowFiles });
  let wanted: readonly PushCommand[] = [];
  const decideAgain = async () => {
    const again = await openAgain();
    const mayLess =
      (again.modifies && !modifies) || (workflowFiles.allowed && !workflowFileAccess(again.viewer.grant, again.repo).allowed);
    if (mayLess) throw changedMeanwhile();
    const refused = again.modifies ? await refuseUnmodifiable(db, again.viewer, again.repo, wanted) : new Map();
    if (refused.size > 0 || (await haveRulesChanged())) throw changedMeanwhile();
  };
  return {
    ...handlers,
    recheck: recheckOf(parts, exchange, decideAgain),
    async before(commands) {
      // Over SSH, a client may wait between the list of refs and its commands.
      if (clock().getTime() - openedAt.getTime() > services.resourceLimits.of(requestLimits).accessTime) await decideAgain();
      const refused = modifies ? await refuseUnmodifiable(db, viewer, repo, commands) : new Map();
      const rest = commands.filter(({ ref }) => !refused.has(ref));
      wanted = rest;
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
