import { authenticate } from '#access/authenticate.ts';
import type { CheckResult } from '#access/authorize.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { linksOf } from '#endpoint/links.ts';
import { Refusal } from '#lib/refusal.ts';
import { statusOf } from './refusals.ts';
import { authorizePath, Moved, readPath } from './resolve.ts';
import { apiPrefix, routerOf } from './router.ts';

/** The decision about a request, and its checks. */
export type Explanation = {
  endpoint: { id: string; method: string; path: string } | undefined;
  viewer: { login: string | undefined; credential: string };
  steps: CheckResult[];
  allowed: boolean;
  /** The status of the refusal. An allowed request may still fail validation, or name something that doesn't exist. */
  status?: number;
  message?: string;
};

/** Who asks: the holder of a credential, or a viewer that is known already. */
export type Asker = { authorization: string | undefined; viewer?: undefined } | { viewer: Viewer; authorization?: undefined };

/** @throws Refusal 401 for a credential that isn't valid */
export const viewerOf = async ({ authorization, viewer }: Asker, { db, now }: { db: Db; now: Date }): Promise<Viewer> =>
  viewer ?? (await authenticate(authorization, { db, now }));

type ExplainRequest = Asker & {
  db: Db;
  endpoints: readonly Endpoint[];
  method: string;
  path: string;
  now: Date;
  /** The public address of the server, if it is configured. */
  url: string | undefined;
};

/** Decides about access as the server would, and lists each step. The handler isn't run and nothing is counted. */
export async function explain({ db, endpoints, method, path, now, url, ...asker }: ExplainRequest): Promise<Explanation> {
  const steps: CheckResult[] = [];
  const unknown: Explanation = { endpoint: undefined, viewer: { login: undefined, credential: 'none' }, steps, allowed: false };
  const match = routerOf(endpoints)(method, apiPrefix + path.replace(/^\/?(?:api\/v3(?=\/))?\/?/, '/'));
  if (!match) return { ...unknown, status: 404, message: `No endpoint has ${method} ${path}` };
  const { endpoint, words } = match;
  const endpointInfo = { id: endpoint.id, method: endpoint.method, path: endpoint.path };
  let viewer: Viewer | undefined;
  try {
    viewer = await viewerOf(asker, { db, now });
    const links = url === undefined ? undefined : linksOf(url);
    await authorizePath({ db, endpoint, viewer, path: readPath(endpoint, words), now, links, trace: steps });
    return { endpoint: endpointInfo, viewer: describeViewer(viewer), steps, allowed: true };
  } catch (error) {
    const viewerInfo = viewer ? describeViewer(viewer) : unknown.viewer;
    if (error instanceof Moved)
      return {
        endpoint: endpointInfo,
        viewer: viewerInfo,
        steps,
        allowed: false,
        status: 301,
        message: `It is ${error.repo.owner.login}/${error.repo.name} now`,
      };
    if (!(error instanceof Refusal)) throw error;
    return { endpoint: endpointInfo, viewer: viewerInfo, steps, allowed: false, status: statusOf(error), message: error.message };
  }
}

export const describeViewer = ({ account, grant }: Viewer): Explanation['viewer'] => ({
  login: account?.login,
  credential: grant.kind,
});
