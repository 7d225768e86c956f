-- Reactions to comments of reviews.
alter table reactions
  add review_comment_id bigint references review_comments on delete cascade,
  drop constraint reactions_check,
  add constraint reactions_check check (num_nonnulls(issue_id, comment_id, commit_comment_id, release_id, review_comment_id) = 1);
create unique index reactions_review_comment on reactions (review_comment_id, user_id, content) where review_comment_id is not null;

-- What the texts of reviews and of their comments refer to. Beside the text, such a row names the issue that the pull request also is.
alter table text_references
  add review_id bigint references reviews on delete cascade,
  add review_comment_id bigint references review_comments on delete cascade,
  add constraint text_references_of_review check (
    num_nonnulls(comment_id, review_id, review_comment_id) <= 1
    and (issue_id is not null or (review_id is null and review_comment_id is null)));
drop index text_references_once;
create unique index text_references_once on text_references
  (repository_id, commit_sha, issue_id, comment_id, commit_comment_id, release_id, review_id, review_comment_id, kind, account_id,
    team_id, target_issue_id, target_sha)
  nulls not distinct;
create index text_references_review on text_references (review_id) where review_id is not null;
create index text_references_review_comment on text_references (review_comment_id) where review_comment_id is not null;
