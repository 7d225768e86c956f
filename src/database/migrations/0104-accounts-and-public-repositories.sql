-- The list of all public repositories passes over the others without reading them, and those of an account are counted.
create index repositories_public on repositories (id) where visibility = 'public';
create index repositories_public_of on repositories (owner_id) where visibility = 'public';

-- The words of users' and organizations' logins, names, addresses and locations, for their search.
create table account_words (
  account_id bigint primary key references accounts on delete cascade,
  analyser integer not null,
  words text not null
);
alter table account_words set (toast_tuple_target = 128);
create index account_words_words on account_words using gin ((array_to_tsvector(string_to_array(words, e'\n'))));
