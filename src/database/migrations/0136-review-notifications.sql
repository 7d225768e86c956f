-- Which table the latest comment of a thread is in: that of the comments of the thread's subject, reviews, or the comments of reviews.
alter table notification_threads
  add comment_kind text not null default 'comment' check (comment_kind in ('comment', 'review', 'review_comment'));
