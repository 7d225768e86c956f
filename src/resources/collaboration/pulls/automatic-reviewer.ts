// The reviewer that is part of the server: the bot of the assistant. The assistant belongs to a product that comes later, so its
// family makes the reviewer, as a service that is declared here.
import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import type { PullRow } from './store.ts';

export type AutomaticReviewer = {
  /** The login by which it is requested. */
  readonly login: string;
  /**
   * The account of the reviewer, if the action may request its review.
   * @throws Refusal 422 with the reason if it may not
   */
  admit(scope: WriteScope, action: RepositoryAction, pull: PullRow): Promise<Id<'accounts'>>;
  /** Enqueues the review, in the transaction of its request. */
  enqueue(scope: WriteScope, action: RepositoryAction, pull: PullRow): Promise<void>;
};

declare module '#endpoint/services.ts' {
  interface FamilyServices {
    readonly automaticReviewer: AutomaticReviewer;
  }
}
