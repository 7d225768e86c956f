// What the front page shows to people: their work.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { OneOf } from '#lib/shape.ts';
import { IssueItem } from './schemas.ts';
import { findOwnWork } from './work.ts';

const WorkList = Type.Object({
  total_count: Type.Integer(),
  items: Type.Array(
    Type.Object({
      ...IssueItem.properties,
      states: Type.Array(OneOf(['failing', 'passing', 'approved', 'changes_requested'])),
    }),
  ),
});

export const getOwnWork = endpoint({
  id: 'search/get-own-work',
  method: 'GET',
  path: '/user/work',
  summary: 'Get what waits for the authenticated user',
  access: { permission: { none: 'own_account' }, credentials: ['session'] },
  replies: { 200: Type.Object({ review_requested: WorkList, own_pulls: WorkList, assigned: WorkList }) },
  handle: ({ scope, viewer, services, caller }) => findOwnWork({ scope, viewer, services, caller }),
});
