-- A search looks into the repositories that were pushed to last: it walks along these, and not over all that there are.

create index repositories_pushed on repositories (pushed_at desc nulls last, id desc);
