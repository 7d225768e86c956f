// What pages may be kept current about.
import type { ChangedSubject } from '#database/change-signals.ts';
import type { Endpoint, EndpointTypes } from '#endpoint/endpoint.ts';
import { getWorkflowJob } from '#resources/actions/workflow-runs/endpoints/jobs.ts';
import { getWorkflowRun } from '#resources/actions/workflow-runs/endpoints/runs.ts';

/** Whoever may read the endpoint may know that its subject changed. */
export type LiveSubject = {
  readonly endpoint: Endpoint;
  /** The subject of signals, from the endpoint's reply. */
  keyOf(body: unknown): ChangedSubject;
};

/** A subject by the id in the reply of its endpoint. */
const subject = <Types extends EndpointTypes & { reply: { body: { id: number } } }>(
  kind: string,
  endpoint: Endpoint<Types>,
): readonly [string, LiveSubject] => [
  kind,
  {
    // the words of its path come from the address of the request
    endpoint: endpoint as unknown as Endpoint,
    keyOf: (body) => `${kind}:${(body as { id: number }).id}`,
  },
];

/** The subjects by their kinds. Whatever changes them signals it by `changedAfter` or `signalChanges`. */
export const liveSubjects: ReadonlyMap<string, LiveSubject> = new Map([
  subject('job', getWorkflowJob),
  subject('run', getWorkflowRun),
]);
