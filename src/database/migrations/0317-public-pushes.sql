-- The front page lists the public repositories with the latest pushes.
create index repositories_public_pushed on repositories (pushed_at desc, id desc)
where visibility = 'public' and pushed_at is not null;
