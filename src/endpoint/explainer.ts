import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Services } from './services.ts';

/** One step of a decision. It has no outcome if that depends on what isn't known yet. */
type ExplainedStep = { readonly check: string; readonly passed: boolean | undefined; readonly because: string };

/** A decision about access. For what the viewer may not see, it is the same as for what isn't there. */
export type ExplainedDecision = {
  /** The endpoint that a request would reach. */
  readonly endpoint?: { readonly id: string; readonly method: string; readonly path: string } | undefined;
  readonly steps: readonly ExplainedStep[];
  readonly allowed: boolean;
  readonly status?: number;
  readonly message?: string;
};

type ExplainContext = {
  readonly db: Db;
  readonly services: Services;
  readonly viewer: Viewer;
  readonly now: Date;
};

/** A push of one ref. Without a target, the rules that need commits have no outcome. */
type ExplainedPush = {
  readonly owner: string;
  readonly name: string;
  readonly ref: string;
  readonly to: string | undefined;
};

/**
 * Explains decisions of the server to the people whom they are about, without carrying anything out. The server makes it, since
 * only the server knows all endpoints.
 */
export type Explainer = {
  request(context: ExplainContext, request: { readonly method: string; readonly path: string }): Promise<ExplainedDecision>;
  push(context: ExplainContext, push: ExplainedPush): Promise<ExplainedDecision>;
};
