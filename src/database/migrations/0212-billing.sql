-- What was used is priced when it is counted: a changed price holds for what is used from then on.
create table billing_rates (
  id integer generated always as identity primary key,
  product text not null,
  sku text not null,
  unit_type text not null,
  -- How much of what is counted makes one unit: quantities are whole minutes, or bytes in an hour.
  unit_size bigint not null,
  price double precision not null check (price >= 0),
  constraint billing_rates_once unique (sku, price)
);

-- What organizations used, by day and by month, so that no report reads more rows than it shows. A repository that was deleted keeps its usage.
create table billing_days (
  organization_id bigint not null references accounts on delete cascade,
  day date not null,
  rate_id integer not null references billing_rates,
  repository_id bigint not null,
  repository_name text not null,
  quantity bigint not null,
  primary key (organization_id, day, rate_id, repository_id)
);

create table billing_months (
  organization_id bigint not null references accounts on delete cascade,
  month date not null,
  rate_id integer not null references billing_rates,
  repository_id bigint not null,
  repository_name text not null,
  quantity bigint not null,
  primary key (organization_id, month, rate_id, repository_id)
);

-- What was counted already: jobs whose minutes were, and hours whose storage was.
create table billing_counted_jobs (job_id bigint primary key references workflow_jobs on delete cascade);
create table billing_counted_hours (hour timestamptz primary key);

create table billing_budgets (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  -- The repository that it holds for; null: all of the organization.
  repository_id bigint references repositories on delete cascade,
  budget_type text not null check (budget_type in ('ProductPricing', 'SkuPricing')),
  product_sku text not null,
  amount bigint not null check (amount >= 0),
  prevents_usage boolean not null,
  alerts boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index billing_budgets_once on billing_budgets (organization_id, repository_id, product_sku) nulls not distinct;
create index billing_budgets_repository on billing_budgets (repository_id) where repository_id is not null;

create table billing_budget_recipients (
  budget_id bigint not null references billing_budgets on delete cascade,
  user_id bigint not null references accounts on delete cascade,
  primary key (budget_id, user_id)
);
create index billing_budget_recipients_user on billing_budget_recipients (user_id);

-- The shares of a budget, in percent, that were reached in a month and told.
create table billing_budget_alerts (
  budget_id bigint not null references billing_budgets on delete cascade,
  month date not null,
  threshold integer not null,
  primary key (budget_id, month, threshold)
);
