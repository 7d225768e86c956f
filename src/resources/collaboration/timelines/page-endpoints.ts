// What the pages of issues and pull requests show.
import { Type } from 'typebox';
import { readsIssuesOrPulls } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { issue } from '#resources/collaboration/issues/index.ts';
import { presentConversation } from './conversation.ts';
import { Conversation } from './schemas.ts';

export const getConversation = endpoint({
  id: 'issues/get-conversation',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/conversation',
  resources: [issue],
  summary: 'Get an issue or a pull request with its timeline',
  access: readsIssuesOrPulls,
  query: Type.Object({ number: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })) }),
  replies: { 200: Conversation },
  handle: async ({ scope, at, query }) => presentConversation(scope, at.repo, at.issue, query.number),
});
