// The public description has a schema for each kind of issue event, and joins them with `anyOf`, so an event of one kind matches
// the schema of another. Clients that choose a model by the kind need the schema of that kind.
import { isSchema, type Schema } from '#vocabulary/schema-leaves.ts';

type ExactItem = { readonly pointer: string; readonly value: unknown; readonly schema: Schema };

/** The schemas of timeline entries whose names can't be derived from their kinds. */
const timelineNames: Readonly<Record<string, string>> = {
  commented: 'timeline-comment-event',
  assigned: 'timeline-assigned-issue-event',
  unassigned: 'timeline-unassigned-issue-event',
};

/** The possible public schema names for a kind of event. */
const namesOf = (kind: string, isTimeline: boolean): string[] => {
  const name = kind.replaceAll('_', '-');
  return isTimeline ? [timelineNames[kind] ?? `timeline-${name}-event`, `${name}-issue-event`] : [`${name}-issue-event`];
};

/** The common schema of all kinds of events: a kind that only adds optional fields, without these. */
function commonSchema(schemas: Readonly<Record<string, Schema>>): Schema {
  const { properties, ...rest } = schemas['state-change-issue-event'] ?? {};
  const { state_reason: _reason, intent: _intent, ...common } = isSchema(properties) ? properties : {};
  return { ...rest, properties: common };
}

const known = new WeakMap<object, Schema>();

/** The events of a reply, each with the schema of its kind; empty for other operations. */
export function exactEventsOf(operationId: string, body: unknown, schemas: Readonly<Record<string, Schema>>): ExactItem[] {
  const isTimeline = operationId === 'issues/list-events-for-timeline';
  if ((operationId !== 'issues/list-events' && !isTimeline) || !Array.isArray(body)) return [];
  const common = known.get(schemas) ?? commonSchema(schemas);
  known.set(schemas, common);
  return body.map((value, at) => {
    const name = namesOf(String(value.event), isTimeline).find((one) => schemas[one]);
    const other = isTimeline ? 'state-change-issue-event' : undefined;
    return { pointer: `/${at}`, value, schema: schemas[name ?? other ?? ''] ?? common };
  });
}
