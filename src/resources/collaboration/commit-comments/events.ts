import type { Id } from '#lib/id.ts';
import { aboutRepository, eventKinds, payloadBuilder, webhookEventType } from '#resources/event-kinds.ts';
import { presentComment } from './present.ts';
import { findComment } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'commit_comment.created': { comment: Id<'commit_comments'> };
    'commit_comment.edited': { comment: Id<'commit_comments'> };
    'commit_comment.deleted': { comment: Id<'commit_comments'> };
  }
}

const commitCommentEvent = webhookEventType({ name: 'commit_comment', permission: 'contents:read', hooks: 'all' });

export const commitCommentEvents = eventKinds({
  'commit_comment.created': payloadBuilder([commitCommentEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const { db } = context;
      const row = await findComment(db, event.data.comment);
      if (row?.repository_id !== repository.id) return [];
      const comment = await presentComment(context, repository, row);
      return [{ type: commitCommentEvent, action: 'created', body: { comment } }];
    }),
  ),
  'commit_comment.edited': 'no webhook',
  'commit_comment.deleted': 'no webhook',
});
