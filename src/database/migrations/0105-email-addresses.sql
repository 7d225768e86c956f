-- The e-mail addresses of users. A verified one belongs to one account, and commits are its account's by it alone. What nobody verified
-- may be stated by several, and gives nothing.

create table email_addresses (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  email text not null,
  verified_at timestamptz,
  created_at timestamptz not null
);
create unique index email_addresses_account on email_addresses (account_id, lower(email));
create unique index email_addresses_verified on email_addresses (lower(email)) where verified_at is not null;

-- From now on a user's profile shows a verified address. Nobody verified those that users have stated so far.
insert into email_addresses (account_id, email, created_at)
  select id, email, updated_at from accounts where kind = 'user' and email is not null;
update accounts set email = null where kind = 'user' and email is not null;
