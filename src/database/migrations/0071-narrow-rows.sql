-- Words of commits and repositories are wanted by their index alone, too; `src/search/words-column.ts` makes them long enough.

alter table indexed_commits set (toast_tuple_target = 128);
alter table indexed_commits alter column message set storage main;
alter table repository_words set (toast_tuple_target = 128);
