import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { Nothing, withDefault } from '#lib/shape.ts';
import { findAskerBehind } from '#resources/actions/workflow-runs/index.ts';

/** The public API's limit on the number of a payload's properties. */
const maxProperties = 10;

export const createDispatch = endpoint({
  id: 'repos/create-dispatch-event',
  method: 'POST',
  path: '/repos/{owner}/{repo}/dispatches',
  summary: 'Tell workflows and apps of something that happened elsewhere',
  access: { scopes: ['repo'], role: 'write', permission: 'contents:write' },
  body: Type.Object({
    event_type: Type.String({ minLength: 1, maxLength: 100 }),
    client_payload: withDefault(Type.Record(Type.String(), Type.Unknown(), { maxProperties }), {}),
  }),
  example: { event_type: 'deployed', client_payload: { version: '1.2.3' } },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    const said = { type: body.event_type, payload: body.client_payload };
    await change(async (scope) => {
      const onBehalfOf = await findAskerBehind(scope.tx, action.by);
      const data = { ...said, ...(onBehalfOf === undefined ? {} : { onBehalfOf }) };
      await record(scope.tx, { ...inRepository(action), kind: 'repository.dispatched', data });
    });
  },
});
