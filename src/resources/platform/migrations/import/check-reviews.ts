import type { Address, IssueEventRecord } from '../archive/format.ts';
import type { PullRequestReviewRecord, ReviewCommentRecord } from '../archive/said-format.ts';
import { refused } from './unpack.ts';

/**
 * Refuses reviews of what is no pull request in an archive, and comments that name what isn't theirs. Returns what each belongs
 * to.
 */
export function reviewsToCheck(pulls: ReadonlySet<Address>) {
  /** Reviews, and comments that begin conversations, with their pull requests. */
  const reviews = new Map<Address, Address>();
  const conversations = new Map<Address, Address>();
  const checkPull = ({ url, pull_request }: { url: Address; pull_request: Address }): Address => {
    if (!pulls.has(pull_request)) throw refused(`${url} belongs to ${pull_request}, which is no pull request in it`);
    return pull_request;
  };
  return {
    checkReview(one: PullRequestReviewRecord): Address {
      reviews.set(one.url, one.pull_request);
      return checkPull(one);
    },
    checkComment(one: ReviewCommentRecord): Address {
      const { url, pull_request, pull_request_review, in_reply_to, subject_type, start_side } = one;
      const pull = checkPull(one);
      if (reviews.get(pull_request_review) !== pull_request)
        throw refused(`${url} belongs to ${pull_request_review}, which is no review of ${pull_request} in it`);
      if (in_reply_to === null) conversations.set(url, pull_request);
      else if (conversations.get(in_reply_to) !== pull_request)
        throw refused(`${url} replies to ${in_reply_to}, which begins no conversation before it on ${pull_request}`);
      if (in_reply_to !== null && (one.resolved_at !== null || one.resolved_by !== null))
        throw refused(`${url} is a reply, and only the comment that begins a conversation tells that it is resolved`);
      if (
        (subject_type === 'line') !== (one.original_line !== null) ||
        (start_side === null) !== (one.original_start_line === null)
      )
        throw refused(`${url} is on no place: its lines and sides don't fit`);
      return pull;
    },
    checkDismissal({ url, pull_request, dismissed_review }: IssueEventRecord): void {
      const review = dismissed_review?.review ?? null;
      if (review !== null && (pull_request === undefined || reviews.get(review) !== pull_request))
        throw refused(`${url} dismisses ${review}, which is no review of its pull request in it`);
    },
  };
}
